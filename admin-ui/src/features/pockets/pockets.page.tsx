import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, MerchantFilter, SelectFilter, TextFilter, hasFilters, useSetFilters } from '../../ui/filters.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { useList } from '../../ui/use-list.ts';
import type { PocketsSearch } from './pockets-search.ts';

type Row = components['schemas']['StaffPocket'];

/** The balances of all merchants, one row for each merchant, network and token. */
export function PocketsPage() {
  const environment = useEnvironment();
  const search: Partial<PocketsSearch> = useSearch({ strict: false });
  const { after, ...filters } = search;
  const list = useList<Row>({
    topic: 'pockets',
    queryKey: ['pockets', environment, search],
    isFirstPage: after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/pockets', {
          params: {
            path: { environment },
            query: { ...filters, limit: 50, ...(after !== undefined && { starting_after: after }) },
          },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Page
      title="Pockets"
      summary="What each merchant holds, by token and network: available, held by withdrawals, and seen but not final."
    >
      <PocketFilters search={search} />
      <NewRows list={list} />
      <DataTable
        label="Pockets"
        columns={COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'No pocket fits these filters', hint: 'A merchant has one for each token on offer.' }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

function PocketFilters({ search }: { readonly search: Partial<PocketsSearch> }) {
  const set = useSetFilters<Partial<Record<keyof PocketsSearch, string | undefined>>>();
  const { after: _after, ...filters } = search;
  const clear = (): void => set(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Filters label="Filters of pockets" onClear={hasFilters(filters) ? clear : undefined}>
      <MerchantFilter value={search.merchant_id} onChange={set} />
      <SelectFilter
        label="Network"
        value={search.network}
        options={NETWORK_WORDS.map((value) => ({ value, label: value }))}
        onChange={(network) => set({ network })}
      />
      <TextFilter label="Token" value={search.token} placeholder="USDC" onChange={(token) => set({ token })} />
    </Filters>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'id',
    header: 'Id',
    cell: ({ id, environment }) => <IdLink to={`/${environment}/pockets/${id}`} id={id} />,
  },
  { key: 'merchant', header: 'Merchant', cell: ({ merchant_name: name }) => <ForeignText value={name} max={40} /> },
  { key: 'token', header: 'Token', cell: ({ token, network }) => `${token} on ${network}` },
  { key: 'available', header: 'Available', align: 'right', cell: ({ available }) => available.decimal },
  { key: 'held', header: 'Held', align: 'right', cell: ({ held }) => held.decimal },
  { key: 'pending', header: 'Pending', align: 'right', cell: ({ pending }) => pending.decimal },
];
