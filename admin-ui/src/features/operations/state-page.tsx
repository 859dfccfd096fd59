import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { POLL_MS } from '../../live/use-live.ts';
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
  /** Names the state among the queries of the environment. */
  readonly name: string;
  readonly load: (request: StateRequest) => Promise<State>;
  readonly children: (state: State) => ReactNode;
}

/** A page about one state of the service. No topic reports it, so the page asks every 5 s. */
export function StatePage<State>({ title, summary, name, load, children }: StatePageProps<State>) {
  const environment = useEnvironment();
  const { data, error, refetch } = useQuery({
    queryKey: [environment, name],
    queryFn: ({ signal }) => load({ params: { path: { environment } }, signal, headers: BACKGROUND }),
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
