import { useLocation, useNavigate } from '@tanstack/react-router';
import { oneOf, searchOf, text, time } from '../../ui/search-params.ts';

const NAMES = ['preview', 'recover', 'resend', 'send_missing', 'recover_selected', 'resend_selected'] as const;
/** What the dialog is open for. A selection is not in the address, so its dialogs do not survive a reload. */
export type ReplayName = (typeof NAMES)[number];

/** The search parameters of the dialog that sends deliveries again. */
interface ReplaySearch {
  readonly dialog: ReplayName;
  readonly since: string;
  /** Of the page of dead letters: endpoint and class of answers, as in `we_1:4xx`. */
  readonly cause: string;
}
const replaySearch = searchOf<ReplaySearch>({ dialog: oneOf(NAMES), since: time, cause: text });

/** The dialog that sends deliveries again, as the address has it: it survives a reload, and can be shared. */
export interface ReplayState extends Partial<Omit<ReplaySearch, 'dialog'>> {
  /** Undefined while it is closed. */
  readonly name: ReplayName | undefined;
  readonly open: (name: ReplayName, subject?: Partial<Omit<ReplaySearch, 'dialog'>>) => void;
  /** Changes the time since when, or what the dialog is open for. */
  readonly change: (change: Partial<Pick<ReplaySearch, 'since' | 'dialog'>>) => void;
  readonly close: () => void;
}

export function useReplayState(): ReplayState {
  const navigate = useNavigate();
  const { search } = useLocation();
  const { dialog: name, ...subject } = replaySearch(search);
  const set = (change: Partial<ReplaySearch>, replace: boolean) =>
    void navigate({
      to: '.',
      search: ((old: object) => ({ ...old, ...change })) as never,
      replace,
      resetScroll: false,
    });
  const none = { dialog: undefined, since: undefined, cause: undefined } as Partial<ReplaySearch>;
  return {
    name,
    ...subject,
    open: (opened, about) => set({ ...none, ...about, dialog: opened }, false),
    change: (change) => set(change, true),
    close: () => set(none, true),
  };
}

const HOUR_MS = 3_600_000;

/** The beginning of the minute of a time, as the field for it shows it. */
export const minuteOf = (at: string): string =>
  `${new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length)}:00.000Z`;

/** The last 24 hours, from the full hour, so that the same order a minute later is the same job. */
export function lastDay(): string {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return new Date(hour - 24 * HOUR_MS).toISOString();
}

/** Says what is wrong with the time since when; null when it is right. */
export function sinceFault(since: string | undefined, isRequired: boolean): string | null {
  if (since === undefined) return isRequired ? 'Enter the time from which events are missing.' : null;
  return Date.parse(since) > Date.now() ? 'This time is in the future.' : null;
}
