import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Topic } from '../api/change-stream.ts';
import { useEnvironment } from '../app/environment.ts';
import type { Session } from '../session/session.ts';
import { changeKey, LiveQueries } from './live-queries.ts';
import { joinSharedStream, type SharedStream } from './shared-stream.ts';

/** While nothing reports changes, and for what depends on more than facts, such as the time. */
export const POLL_MS = 5_000;
/** While changes are reported, this is only for what no report covers. */
const POLL_WHEN_UP_MS = 30_000;

let isUp = false;
const watchers = new Set<() => void>();

function watch(onChange: () => void): () => void {
  watchers.add(onChange);
  return () => watchers.delete(onChange);
}

/** Follows what changes, while the calling component shows pages of a session. */
export function useChangeStream(session: Session): void {
  const client = useQueryClient();
  const stream = useRef<SharedStream>(null);
  // Before the authenticator is set up where that is mandatory, the service refuses, and keeps a record of it.
  const isAdmitted = session.staff.totp_enabled || !session.staff.totp_required;
  useEffect(() => {
    if (!isAdmitted) return undefined;
    const queries = new LiveQueries(client);
    const joined = joinSharedStream({
      onState: (next) => {
        if (next === isUp) return;
        isUp = next;
        for (const onChange of watchers) onChange();
        resetIntervals(client);
        if (next) queries.noteAll();
      },
      onChange: (change) => queries.note(change),
    });
    stream.current = joined;
    return () => {
      joined.leave();
      queries.close();
      stream.current = null;
    };
  }, [client, isAdmitted]);
  // A new sign-in, in a dialog or in another tab.
  useEffect(() => stream.current?.renew(), [session]);
}

/** Makes the queries of the page compute their interval again, without rendering the page. */
function resetIntervals(client: QueryClient): void {
  for (const { observers } of client.getQueryCache().findAll({ type: 'active' })) {
    for (const observer of observers) observer.setOptions(observer.options);
  }
}

/** Whether changes are reported at once. */
export const useIsReported = (): boolean => useSyncExternalStore(watch, () => isUp);

/**
 * Options of a query whose data depends on these topics: it is loaded again when one of them changes in the environment of
 * the page, or every 5 s while nothing reports changes.
 */
export function useLive(...topics: readonly Topic[]) {
  const environment = useEnvironment();
  return {
    meta: { changesWith: topics.map((topic) => changeKey(environment, topic)) },
    refetchInterval: () => (isUp ? POLL_WHEN_UP_MS : POLL_MS),
  };
}
