import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, SelectFilter, useSetFilters } from '../../ui/filters.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { amountText } from '../../ui/money.ts';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { DepositStatus } from './deposit-status.tsx';
import type { DepositsSearch } from './deposits-search.ts';

type Row = components['schemas']['MismatchedDeposit'];

/** Deposits that did not pay an intent as it asked. */
export function DepositsPage() {
  const environment = useEnvironment();
  const { network, after }: Partial<DepositsSearch> = useSearch({ strict: false });
  const set = useSetFilters<Partial<Record<keyof DepositsSearch, string | undefined>>>();
  const list = useList<Row>({
    topic: 'intents',
    queryKey: ['deposits', environment, network, after],
    isFirstPage: after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/deposits', {
          params: {
            path: { environment },
            query: {
              limit: 25,
              ...(network !== undefined && { network }),
              ...(after !== undefined && { starting_after: after }),
            },
          },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Page
      title="Mismatched deposits"
      summary="Deposits in another token, on another network, without an intent, or late. To find any other deposit, search for its transaction hash."
      actions={<CsvLink path={`/admin/api/${environment}/deposits.csv`} filters={{ network }} />}
    >
      <Filters
        label="Filters of mismatched deposits"
        onClear={network === undefined ? undefined : () => set({ network: undefined })}
      >
        <SelectFilter
          label="Network"
          value={network}
          options={NETWORK_WORDS.map((value) => ({ value, label: value }))}
          onChange={(next) => set({ network: next })}
        />
      </Filters>
      <NewRows list={list} />
      <DataTable
        label="Mismatched deposits"
        columns={COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No mismatched deposits',
          hint:
            network === undefined
              ? 'Deposits that paid as asked are not listed here.'
              : 'Clear the filter, or search for the transaction hash.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'id',
    header: 'Id',
    cell: ({ id, environment }) => <IdLink to={`/${environment}/deposits/${id}`} id={id} />,
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount_decimal: amount, token }) => amountText(amount, token),
  },
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  {
    key: 'status',
    header: 'Status',
    cell: (deposit) => <DepositStatus deposit={deposit} />,
  },
  { key: 'why', header: 'Why', cell: ({ explanation }) => explanation },
  {
    key: 'intent',
    header: 'Intent of the address',
    cell: ({ payment_intent_id: intent, environment }) =>
      intent === null ? '–' : <IdLink to={`/${environment}/intents/${intent}`} id={intent} />,
  },
  { key: 'seen', header: 'Seen', cell: ({ seen_at: at }) => <Time at={at} /> },
];
