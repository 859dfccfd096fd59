import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { Copy } from '../../ui/copy.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import {
  Filters,
  MerchantFilter,
  PeriodFilter,
  SelectFilter,
  TextFilter,
  hasFilters,
  useSetFilters,
} from '../../ui/filters.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { shortHash } from '../../ui/short.ts';
import { statusText } from '../../ui/status-words.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { SigningPanel } from './signing-panel.tsx';
import { WithdrawalStatus } from './withdrawal-status.tsx';
import { queryOf, STATUS_WORDS, type WithdrawalsSearch } from './withdrawals-search.ts';

type Row = components['schemas']['StaffWithdrawal'];

/** The withdrawals of all merchants, and where they are signed. */
export function WithdrawalsPage() {
  const environment = useEnvironment();
  const search: Partial<WithdrawalsSearch> = useSearch({ strict: false });
  const filters = filtersOf(search);
  const list = useList<Row>({
    topic: 'withdrawals',
    queryKey: ['withdrawals', environment, filters, search.after],
    isFirstPage: search.after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/withdrawals', {
          params: {
            path: { environment },
            query: queryOf({ ...filters, ...(search.after !== undefined && { after: search.after }) }),
          },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Page
      title="Withdrawals"
      actions={<CsvLink path={`/admin/api/${environment}/withdrawals.csv`} filters={filters} />}
    >
      <WithdrawalFilters filters={filters} />
      <NewRows list={list} />
      <DataTable
        label="Withdrawals"
        columns={COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={
          hasFilters(filters)
            ? {
                title: 'No withdrawal fits these filters',
                hint: 'Clear a filter, or search for the id or the transaction.',
              }
            : { title: 'No withdrawals yet', hint: 'Merchants order withdrawals with POST /v1/withdrawals.' }
        }
      />
      <Pager nextCursor={list.nextCursor} />
      <SigningPanel />
    </Page>
  );
}

/** Without the cursor, and without what only a dialog has put there. */
function filtersOf(search: Partial<WithdrawalsSearch>): Partial<Omit<WithdrawalsSearch, 'after'>> {
  const { status, waits_for, network, merchant_id, pocket_id, destination, created_gte, created_lt } = search;
  const all = { status, waits_for, network, merchant_id, pocket_id, destination, created_gte, created_lt };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const options = <Word extends string>(words: readonly Word[]) => words.map((value) => ({ value, label: value }));

const NO_STATUS = { status: undefined, waits_for: undefined };

function WithdrawalFilters({ filters }: { readonly filters: ReturnType<typeof filtersOf> }) {
  const set = useSetFilters<Partial<Record<keyof WithdrawalsSearch, string | undefined>>>();
  const clear = (): void => set(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Filters label="Filters of withdrawals" onClear={hasFilters(filters) ? clear : undefined}>
      <SelectFilter
        label="Status"
        value={filters.waits_for ?? filters.status}
        options={[
          { value: 'approval', label: 'Needs approval' },
          ...STATUS_WORDS.map((value) => ({ value, label: statusText(value) })),
        ]}
        onChange={(word) =>
          set(word === 'approval' ? { ...NO_STATUS, waits_for: word } : { ...NO_STATUS, status: word })
        }
      />
      <SelectFilter
        label="Network"
        value={filters.network}
        options={options(NETWORK_WORDS)}
        onChange={(network) => set({ network })}
      />
      <TextFilter
        label="Destination"
        value={filters.destination}
        placeholder="0x..."
        onChange={(destination) => set({ destination })}
      />
      <MerchantFilter value={filters.merchant_id} onChange={set} />
      <TextFilter
        label="Pocket id"
        value={filters.pocket_id}
        placeholder="pkt_..."
        onChange={(pocket_id) => set({ pocket_id })}
      />
      <PeriodFilter value={filters} onChange={set} />
    </Filters>
  );
}

const CUT_AT = 28;
const cut = (text: string): string => (text.length > CUT_AT ? `${text.slice(0, CUT_AT)}…` : text);

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'id',
    header: 'Id',
    cell: ({ id, environment }) => <IdLink to={`/${environment}/withdrawals/${id}`} id={id} />,
  },
  {
    key: 'merchant',
    header: 'Merchant',
    cell: ({ merchant_name: name }) => <ForeignText value={cut(name)} />,
  },
  {
    key: 'status',
    header: 'Status',
    cell: (withdrawal) => <WithdrawalStatus withdrawal={withdrawal} />,
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount_decimal: amount, token, network }) => `${amount}\u00a0${token} on\u00a0${network}`,
  },
  {
    key: 'destination',
    header: 'To',
    cell: ({ destination }) => <Copy value={destination} label="destination" shown={shortHash(destination)} />,
  },
  { key: 'why', header: 'Why', cell: ({ status, sentence }) => (status === 'completed' ? '–' : sentence) },
  { key: 'created', header: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
];
