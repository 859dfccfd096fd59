import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asApiError } from '../../api/api-error.ts';
import type { Topic } from '../../api/change-stream.ts';
import { BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { POLL_MS, useLive } from '../../live/use-live.ts';
import type { Environment } from '../../session/session.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';

/** What a load passes on to the client. */
export interface StateRequest {
  readonly params: { readonly path: { readonly environment: Environment } };
  readonly signal: AbortSignal;
  readonly headers: typeof BACKGROUND;
}

interface StatePageProps<State> {
  readonly title: string;
  readonly summary: ReactNode;
  /** What reports changes of the state. */
  readonly topic: Topic;
  /** Names the state among the queries of the environment. */
  readonly name: string;
  readonly load: (request: StateRequest) => Promise<State>;
  readonly children: (state: State) => ReactNode;
}

/** A page about one state of the service. */
export function StatePage<State>({ title, summary, topic, name, load, children }: StatePageProps<State>) {
  const environment = useEnvironment();
  const live = useLive(topic);
  const { data, error, refetch } = useQuery({
    queryKey: [environment, name],
    queryFn: ({ signal }) => load({ params: { path: { environment } }, signal, headers: BACKGROUND }),
    ...live,
    // Prices grow old and nodes fall silent without a change that could be reported.
    refetchInterval: POLL_MS,
  });
  return (
    <Page title={title} summary={summary}>
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ErrorState error={asApiError(error)} onRetry={() => void refetch()} />
        )
      ) : (
        children(data)
      )}
    </Page>
  );
}
