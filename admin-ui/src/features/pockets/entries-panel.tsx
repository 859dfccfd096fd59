import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { Copy } from '../../ui/copy.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { NewRows } from '../../ui/new-rows.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortId } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';

type Pocket = components['schemas']['StaffPocketDetail'];
type Entry = components['schemas']['PocketEntry'];

const KIND: Readonly<Record<Entry['kind'], string>> = {
  deposit: 'Payment',
  withdrawal: 'Withdrawal, amount and fee',
  withdrawal_refund: 'Withdrawal returned',
  resolution: 'Resolved by staff',
  release: 'Released by staff',
};

/** Every booking on the available balance, with what is behind it. */
export function EntriesPanel({ pocket }: { readonly pocket: Pocket }) {
  const environment = useEnvironment();
  const { after }: { after?: string } = useSearch({ strict: false });
  const { id, token } = pocket;
  const list = useList<Entry>({
    topic: 'pockets',
    queryKey: ['pocket-entries', environment, id, after],
    isFirstPage: after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/pockets/{id}/entries', {
          params: {
            path: { environment, id },
            query: { limit: 25, ...(after !== undefined && { starting_after: after }) },
          },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Panel
      title="Entries"
      actions={<CsvLink path={`/admin/api/${environment}/pockets/${id}/entries.csv`} filters={{}} />}
    >
      <NewRows list={list} />
      <DataTable<Entry>
        label="Entries of the pocket"
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'Nothing was booked yet', hint: 'A payment is booked when it is final.' }}
        columns={[
          { key: 'kind', header: 'What', cell: ({ kind }) => KIND[kind] },
          {
            key: 'amount',
            header: 'Amount',
            align: 'right',
            cell: ({ amount_decimal: amount }) => `${amount} ${token}`,
          },
          { key: 'behind', header: 'Behind it', cell: (entry) => <Behind entry={entry} environment={environment} /> },
          { key: 'booked', header: 'Booked', cell: ({ created_at: at }) => <Time at={at} /> },
          {
            key: 'id',
            header: 'Entry',
            cell: ({ id: entry }) => <Copy value={entry} label="entry id" shown={shortId(entry)} />,
            isMinor: true,
          },
        ]}
      />
      <Pager nextCursor={list.nextCursor} />
    </Panel>
  );
}

function Behind({ entry, environment }: { readonly entry: Entry; readonly environment: string }) {
  const { payment_intent_id: intentId, withdrawal_id: withdrawalId, reference } = entry;
  if (intentId !== null) return <IdLink to={`/${environment}/intents/${intentId}`} id={intentId} />;
  if (withdrawalId !== null) return <IdLink to={`/${environment}/withdrawals/${withdrawalId}`} id={withdrawalId} />;
  return <span>{reference}</span>;
}
