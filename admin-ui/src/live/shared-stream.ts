import { type Change, followChanges, type StreamState } from '../api/change-stream.ts';

/** Of the lock and of the channel. Browsers share both between the tabs of one origin alone. */
const NAME = 'coffer.changes';

type Shared =
  | { readonly kind: 'state'; readonly state: StreamState }
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'state_wanted' }
  | { readonly kind: 'session_renewed' };

interface Listener {
  readonly onState: (isUp: boolean) => void;
  readonly onChange: (change: Change) => void;
}

/** The part of a tab in the stream that all tabs of a browser share. */
export interface SharedStream {
  /** Opens a stream that has ended with its session again. */
  renew(): void;
  leave(): void;
}

/**
 * Joins the stream of this browser. A browser opens few connections to a host, so the visible tab that holds the lock has
 * the stream, and hands on what it reports. A tab that is hidden or offline neither holds it nor listens. Without locks, which browsers have
 * on secure origins alone, no tab has a stream.
 */
export function joinSharedStream({ onState, onChange }: Listener): SharedStream {
  if (!('locks' in navigator)) return { renew: () => undefined, leave: () => undefined };
  const channel = new BroadcastChannel(NAME);
  const post = (message: Shared): void => channel.postMessage(message);
  let state: StreamState = 'down';
  /** Set while this tab waits for the lock or holds it. */
  let turn: AbortController | null = null;
  /** Set while this tab holds the lock. */
  let stop: (() => void) | null = null;

  const show = (next: StreamState): void => {
    state = next;
    onState(next === 'up');
  };
  const announce = (next: StreamState): void => {
    show(next);
    post({ kind: 'state', state: next });
  };
  const follow = (): void => {
    stop = followChanges({
      onState: announce,
      onChange: (change) => {
        onChange(change);
        post({ kind: 'change', change });
      },
    });
  };
  const lead = ({ signal }: AbortController): Promise<void> => {
    announce('down');
    follow();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        stop?.();
        stop = null;
        announce('down');
        resolve();
      });
    });
  };
  const enter = (): void => {
    if (turn !== null) return;
    const own = new AbortController();
    turn = own;
    post({ kind: 'state_wanted' });
    navigator.locks
      .request(NAME, { signal: own.signal }, () => (own.signal.aborted ? undefined : lead(own)))
      // The tab was hidden before its turn came.
      .catch(() => undefined);
  };
  const step = (): void => {
    turn?.abort();
    turn = null;
    show('down');
  };
  const renew = (): void => {
    if (stop === null || state !== 'ended') return;
    stop();
    // Until the new one is ready: a second renewal meanwhile must not open another.
    announce('down');
    follow();
  };
  // Offline a browser would try to connect again and again.
  const onSight = (): void => (document.visibilityState === 'visible' && navigator.onLine ? enter() : step());

  channel.addEventListener('message', ({ data }: MessageEvent<Shared>) => {
    if (turn === null) return;
    if (data.kind === 'session_renewed') renew();
    else if (data.kind === 'state_wanted' && stop !== null) post({ kind: 'state', state });
    else if (data.kind === 'state' && stop === null) show(data.state);
    else if (data.kind === 'change') onChange(data.change);
  });
  document.addEventListener('visibilitychange', onSight);
  window.addEventListener('online', onSight);
  window.addEventListener('offline', onSight);
  onSight();
  return {
    renew: () => {
      renew();
      post({ kind: 'session_renewed' });
    },
    leave: () => {
      document.removeEventListener('visibilitychange', onSight);
      window.removeEventListener('online', onSight);
      window.removeEventListener('offline', onSight);
      step();
      channel.close();
    },
  };
}
