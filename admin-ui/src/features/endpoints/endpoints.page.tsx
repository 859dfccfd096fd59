import { Stack, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, MerchantFilter, SelectFilter, hasFilters, useSetFilters } from '../../ui/filters.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { NewRows } from '../../ui/new-rows.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { ENDPOINT_STATES, type EndpointSearch, queryOf } from './endpoint-search.ts';
import { EndpointStatus } from './endpoint-status.tsx';

type Endpoint = components['schemas']['Endpoint'];

/** Webhook endpoints of all merchants. */
export function EndpointsPage() {
  const environment = useEnvironment();
  const { after, ...filters }: Partial<EndpointSearch> = useSearch({ strict: false });
  const set = useSetFilters<EndpointSearch>();
  const query = queryOf(filters);
  const list = useList<Endpoint>({
    topic: 'endpoints',
    queryKey: [environment, 'endpoints', query, after],
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/endpoints', {
          params: { path: { environment }, query: { ...query, ...(after !== undefined && { starting_after: after }) } },
          signal,
          headers,
        }),
      ),
    isFirstPage: after === undefined,
  });
  return (
    <Page title="Endpoints" summary="Where merchants receive their webhooks.">
      <Filters
        label="Filters of endpoints"
        onClear={hasFilters(filters) ? () => set({ merchant_id: undefined, state: undefined }) : undefined}
      >
        <SelectFilter
          label="Status"
          value={filters.state}
          options={ENDPOINT_STATES.map((value) => ({ value, label: value }))}
          onChange={(state) => set({ state })}
        />
        <MerchantFilter value={filters.merchant_id} onChange={set} />
      </Filters>
      <NewRows list={list} />
      <DataTable
        label="Webhook endpoints"
        columns={columnsOf(environment)}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No endpoints',
          hint: hasFilters(filters)
            ? 'Nothing matches these filters in this environment.'
            : 'Merchants create them by POST /v1/webhook-endpoints.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

function columnsOf(environment: string): Column<Endpoint>[] {
  return [
    {
      key: 'url',
      header: 'Endpoint',
      cell: (row) => (
        <Stack gap={2}>
          <Link to={'/$environment/endpoints/$id'} params={{ environment, id: row.id }}>
            <ForeignText value={row.url} max={70} />
          </Link>
          <Text size="xs" c="dimmed" component="span">
            <ForeignText value={row.merchant_name} max={60} />
          </Text>
        </Stack>
      ),
    },
    { key: 'status', header: 'Status', cell: (row) => <EndpointStatus endpoint={row} /> },
    { key: 'dead', header: 'Dead letters', align: 'right', cell: (row) => wholeText(row.dead_letters) },
    {
      key: 'success',
      header: 'Last success',
      cell: (row) => (row.last_success_at === null ? 'never' : <Time at={row.last_success_at} />),
    },
    { key: 'created', header: 'Created', cell: (row) => <Time at={row.created_at} />, isMinor: true },
  ];
}
