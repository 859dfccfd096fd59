import type { components } from '../../api/schema.d.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';

type Listed = components['schemas']['MismatchedDeposit'];
type Shown = components['schemas']['StaffDeposit'];

const TONE: Readonly<Record<Listed['status'] | Shown['status'], Tone>> = {
  seen: 'busy',
  pending: 'busy',
  confirmed: 'good',
  orphaned: 'bad',
};
const HELD = { suspense: 'In suspense', frozen: 'On hold', kept: 'Kept on hold', returning: 'Being refunded' } as const;

/** Where the money of a deposit is: what it is held as says more than that it is final. */
export function DepositStatus({ deposit }: { readonly deposit: Pick<Listed | Shown, 'status' | 'held_as'> }) {
  const { status, held_as: held } = deposit;
  return held === null ? (
    <StatusBadge word={statusText(status)} tone={TONE[status]} />
  ) : (
    <StatusBadge word={HELD[held]} tone="paused" />
  );
}
