import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Json } from '../../ui/json.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SignatureVerdict } from '../endpoints/signature-verdict.tsx';

const HEADER_SHOWN_MAX = 500;

interface OpenedProps {
  readonly inboxId: string;
  readonly requestId: string;
}

/** One received request: what a receiver would say of its signature, its headers and its body. */
export function OpenedRequest({ inboxId, requestId }: OpenedProps) {
  const environment = useEnvironment();
  const found = useQuery({
    queryKey: [environment, 'inbox-request', requestId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/inboxes/{id}/requests/{request}', {
          params: { path: { environment, id: inboxId, request: requestId } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel title={`Request ${requestId}`}>
      {found.isPending && <Loading />}
      {found.error !== null && <ErrorState error={asApiError(found.error)} onRetry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <Stack gap="md">
          <SignatureVerdict verdict={found.data.signature} />
          <Facts
            facts={found.data.headers.map(({ name, value }) => ({
              label: name,
              value: <ForeignText value={value} max={HEADER_SHOWN_MAX} isCode />,
            }))}
          />
          <Json value={found.data.body} label="the body" />
        </Stack>
      )}
    </Panel>
  );
}
