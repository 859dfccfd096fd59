import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { CopyAction } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Json } from '../../ui/json.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SignatureVerdict } from '../endpoints/signature-verdict.tsx';
import styles from './opened-request.module.css';

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
  const place = useRef<HTMLDivElement>(null);
  const isThere = found.data !== undefined;
  // It stands below the list, whose rows keep their places.
  useEffect(() => {
    if (isThere) place.current?.scrollIntoView({ block: 'start' });
  }, [isThere]);
  return (
    <div ref={place} className={styles['opened']}>
      <Panel title={`Request ${requestId}`}>
        {found.isPending && <Loading />}
        {found.error !== null && <ErrorState error={asApiError(found.error)} onRetry={() => void found.refetch()} />}
        {found.data !== undefined && (
          <Stack gap="md">
            {found.data.signature === null ? (
              <Text size="sm">
                The endpoint was deleted with its secret, so the signature can no longer be checked.
              </Text>
            ) : (
              <SignatureVerdict verdict={found.data.signature} />
            )}
            <Facts
              facts={found.data.headers.map(({ name, value }) => ({
                label: name,
                value: <ForeignText value={value} max={HEADER_SHOWN_MAX} isCode />,
              }))}
            />
            <Json value={found.data.body} label="the body" />
            <CopyAction label="Copy the body as it was received" value={found.data.body} />
          </Stack>
        )}
      </Panel>
    </div>
  );
}
