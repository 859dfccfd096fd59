import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { EndpointStatus } from '../endpoints/endpoint-status.tsx';

/** The whole list is one link away. */
const SHOWN = 10;

interface OfMerchant {
  readonly merchantId: string;
}

/** The newest pockets of a merchant. */
export function PocketsPanel({ merchantId }: OfMerchant) {
  const environment = useEnvironment();
  const list = useList<components['schemas']['StaffPocket']>({
    topic: 'pockets',
    queryKey: ['pockets', environment, 'newest of', merchantId],
    isFirstPage: true,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/pockets', {
          params: { path: { environment }, query: { merchant_id: merchantId, limit: SHOWN } },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Panel
      title="Pockets"
      actions={<PlaceLink to={`/${environment}/pockets?merchant_id=${merchantId}`}>All pockets</PlaceLink>}
    >
      <DataTable
        label="Pockets"
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'No pockets', hint: 'A merchant gets one for each token on offer.' }}
        columns={[
          {
            key: 'token',
            header: 'Token',
            cell: ({ id, token, network }) => (
              <PlaceLink to={`/${environment}/pockets/${id}`}>{`${token} on ${network}`}</PlaceLink>
            ),
          },
          { key: 'available', header: 'Available', align: 'right', cell: ({ available }) => available.decimal },
          { key: 'held', header: 'Held', align: 'right', cell: ({ held }) => held.decimal },
          { key: 'pending', header: 'Pending', align: 'right', cell: ({ pending }) => pending.decimal },
        ]}
      />
    </Panel>
  );
}

/** The newest webhook endpoints of a merchant. */
export function EndpointsPanel({ merchantId }: OfMerchant) {
  const environment = useEnvironment();
  const list = useList<components['schemas']['Endpoint']>({
    topic: 'endpoints',
    queryKey: [environment, 'endpoints', 'newest of', merchantId],
    isFirstPage: true,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/endpoints', {
          params: { path: { environment }, query: { merchant_id: merchantId, limit: SHOWN } },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Panel
      title="Webhook endpoints"
      actions={<PlaceLink to={`/${environment}/endpoints?merchant_id=${merchantId}`}>All endpoints</PlaceLink>}
    >
      <DataTable
        label="Webhook endpoints"
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'No endpoints', hint: 'The merchant creates them by POST /v1/webhook-endpoints.' }}
        columns={[
          {
            key: 'url',
            header: 'Endpoint',
            cell: ({ id, url }) => (
              <PlaceLink to={`/${environment}/endpoints/${id}`}>
                <ForeignText value={url} max={70} />
              </PlaceLink>
            ),
          },
          { key: 'status', header: 'Status', cell: (row) => <EndpointStatus endpoint={row} /> },
          {
            key: 'dead',
            header: 'Dead letters',
            align: 'right',
            cell: ({ dead_letters: dead }) => wholeText(dead),
          },
          {
            key: 'success',
            header: 'Last success',
            cell: ({ last_success_at: at }) => (at === null ? 'never' : <Time at={at} />),
          },
        ]}
      />
    </Panel>
  );
}
