import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Freezes } from './frozen-by.tsx';
import { SigningAction } from './signing-action.tsx';

type Place = components['schemas']['SigningPlace'];
type Row = Place & { readonly place: string };

/** Where withdrawals and refunds are signed, and where not. */
export function SigningPanel() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const key = ['signing', environment];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/signing', {
          params: { path: { environment } },
          signal,
          headers: client.getQueryData(key) === undefined ? {} : BACKGROUND,
        }),
      ),
    ...useLive('withdrawals'),
  });
  return (
    <Panel title="Signing">
      <Text size="sm">
        Withdrawals of a frozen network or merchant are accepted and wait. To freeze signing for a merchant, open one of
        its withdrawals that have not ended. If it has none, an operator runs npx coffer withdrawals freeze.
      </Text>
      <DataTable<Row>
        label="Where payments are signed"
        rows={data?.places.map((one) => ({ ...one, place: one.id, id: `${one.kind}:${one.id}` }))}
        error={error === null ? null : asApiError(error)}
        onRetry={() => void refetch()}
        empty={{
          title: 'No network has a hot wallet yet',
          hint: 'An open vault creates one for each network. Nothing is signed before.',
        }}
        columns={[
          { key: 'name', header: 'Network or merchant', cell: ({ name }) => name },
          {
            key: 'state',
            header: 'Signing',
            cell: ({ frozen_reason: reason }) => (
              <StatusBadge word={reason === null ? 'Signs' : 'Frozen'} tone={reason === null ? 'good' : 'paused'} />
            ),
          },
          {
            key: 'reason',
            header: 'Reason',
            cell: ({ frozen_reason: reason, freezes }) =>
              reason === null ? '–' : <Freezes reason={reason} freezes={freezes} />,
          },
          {
            key: 'action',
            header: 'Action',
            cell: ({ kind, place, name, frozen_reason: reason }) => (
              <SigningAction kind={kind} id={place} name={name} frozenReason={reason} isNamed />
            ),
          },
        ]}
      />
    </Panel>
  );
}
