import type { Environment } from '../session/session.ts';
import { BACKGROUND } from './client.ts';

export type Topic =
  | 'audit'
  | 'books'
  | 'charts'
  | 'dead_letters'
  | 'deliveries'
  | 'endpoints'
  | 'intents'
  | 'merchants'
  | 'networks'
  | 'notes'
  | 'pockets'
  | 'prices'
  | 'replay_jobs'
  | 'requests'
  | 'sanctions'
  | 'team'
  | 'treasury'
  | 'wallet_pool'
  | 'withdrawals';

/** Topics of an environment of which something has changed. */
export interface Change {
  readonly environment: Environment;
  readonly topics: readonly Topic[];
}

/** `up`: every change is reported. `ended`: it does not come back by itself. */
export type StreamState = 'up' | 'down' | 'ended';

interface Listener {
  readonly onState: (state: StreamState) => void;
  readonly onChange: (change: Change) => void;
}

const RETRY_MIN_MS = 5_000;
const RETRY_MAX_MS = 60_000;

/** Follows the changes that the service reports, until the returned function is called. */
export function followChanges({ onState, onChange }: Listener): () => void {
  let source: EventSource | null = null;
  let timer: number | undefined;
  let retryMs = RETRY_MIN_MS;

  const end = (): void => {
    source?.close();
    source = null;
    onState('ended');
  };
  const connect = (): void => {
    source = new EventSource('/admin/api/stream');
    source.addEventListener('ready', () => {
      retryMs = RETRY_MIN_MS;
      onState('up');
    });
    source.addEventListener('changed', (event) => onChange(JSON.parse(event.data) as Change));
    source.addEventListener('end', (event) => {
      const { reason } = JSON.parse(event.data) as { readonly reason: string };
      // Otherwise the browser connects again by itself.
      if (reason !== 'restarting') end();
    });
    source.addEventListener('error', () => {
      if (source === null) return;
      onState('down');
      // The browser gives up when the service refuses, as it does without a session.
      if (source.readyState === EventSource.CLOSED) {
        timer = window.setTimeout(() => void connectSignedIn(), retryMs * (1 + Math.random()));
        retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
      }
    });
  };
  const connectSignedIn = async (): Promise<void> => {
    const closed = source;
    const status = await statusOfSession();
    if (source !== closed) return;
    if (status === 401) end();
    else connect();
  };

  connect();
  return () => {
    window.clearTimeout(timer);
    source?.close();
    source = null;
  };
}

/** 0 when the service cannot be reached. */
async function statusOfSession(): Promise<number> {
  try {
    return (await fetch('/admin/api/session', { headers: BACKGROUND })).status;
  } catch {
    return 0;
  }
}
