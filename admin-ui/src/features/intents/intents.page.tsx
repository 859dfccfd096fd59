import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
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
import { fiatText } from '../../ui/money.ts';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { INTENT_TONE, type IntentsSearch, queryOf, statusNamed, STATUSES, UNUSUAL_WORDS } from './intents-search.ts';

type Row = components['schemas']['StaffIntent'];

/** The payment intents of all merchants. */
export function IntentsPage() {
  const environment = useEnvironment();
  const search: Partial<IntentsSearch> = useSearch({ strict: false });
  const { after: _after, ...filters } = search;
  const list = useList<Row>({
    topic: 'intents',
    queryKey: ['intents', environment, search],
    isFirstPage: search.after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/intents', {
          params: { path: { environment }, query: queryOf(search) },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Page
      title="Payment intents"
      actions={<CsvLink path={`/admin/api/${environment}/intents.csv`} filters={filters} />}
    >
      <IntentFilters search={search} />
      <NewRows list={list} />
      <DataTable
        label="Payment intents"
        columns={COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No payment intent fits these filters',
          hint: 'References are compared exactly. Clear a filter, or search for the id, the address or the transaction.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

const options = <Word extends string>(words: readonly Word[]) => words.map((value) => ({ value, label: value }));
const UNUSUAL_NAME = { any: 'Too little or too much', under: 'Too little', over: 'Too much' } as const;

function IntentFilters({ search }: { readonly search: Partial<IntentsSearch> }) {
  const set = useSetFilters<Partial<Record<keyof IntentsSearch, string | undefined>>>();
  const { after: _after, ...filters } = search;
  const clear = (): void => set(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Filters label="Filters of payment intents" onClear={hasFilters(filters) ? clear : undefined}>
      <SelectFilter
        label="Status"
        value={search.status && statusNamed(search.status)}
        options={STATUSES.map((value) => ({ value, label: statusText(value) }))}
        onChange={(status) => set({ status })}
      />
      <SelectFilter
        label="Network"
        value={search.network}
        options={options(NETWORK_WORDS)}
        onChange={(network) => set({ network })}
      />
      <TextFilter label="Token" value={search.token} placeholder="USDC" onChange={(token) => set({ token })} />
      <SelectFilter
        label="Unusual"
        value={search.unusual}
        options={UNUSUAL_WORDS.map((value) => ({ value, label: UNUSUAL_NAME[value] }))}
        onChange={(unusual) => set({ unusual })}
      />
      <TextFilter label="Reference" value={search.reference} onChange={(reference) => set({ reference })} />
      <MerchantFilter value={search.merchant_id} onChange={set} />
      <PeriodFilter value={search} onChange={set} />
    </Filters>
  );
}

const CUT_AT = 28;

const cut = (text: string): string => (text.length > CUT_AT ? `${text.slice(0, CUT_AT)}…` : text);
const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'id',
    header: 'Id',
    cell: ({ id, environment }) => <IdLink to={`/${environment}/intents/${id}`} id={id} />,
  },
  {
    key: 'reference',
    header: 'Reference',
    cell: ({ reference }) => (reference === null ? '–' : <ForeignText value={cut(reference)} />),
  },
  {
    key: 'merchant',
    header: 'Merchant',
    cell: ({ merchant_name: name }) => <ForeignText value={cut(name)} />,
    isMinor: true,
  },
  {
    key: 'status',
    header: 'Status',
    cell: ({ status }) => <StatusBadge word={statusText(status)} tone={INTENT_TONE[status]} />,
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount_cents: cents, currency }) => unbroken(fiatText(cents, currency)),
  },
  {
    key: 'received',
    header: 'Received',
    align: 'right',
    cell: ({ received_amount_cents: received, overpaid_amount_cents: over, currency }) =>
      unbroken(fiatText(received + over, currency)),
  },
  { key: 'token', header: 'Token', cell: ({ token, network }) => `${token} on ${network}` },
  { key: 'created', header: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  { key: 'expires', header: 'Expires', cell: ({ expires_at: at }) => <Time at={at} />, isMinor: true },
];
