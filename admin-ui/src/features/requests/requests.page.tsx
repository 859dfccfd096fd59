import { Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
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
import { NewRows } from '../../ui/new-rows.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { shortId } from '../../ui/short.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { Call } from './call.tsx';
import { ErrorGroups } from './error-groups.tsx';
import styles from './requests.module.css';
import {
  ANSWERS,
  type ApiRequest,
  codeText,
  CODES,
  METHODS,
  type RequestFilters,
  type RequestsSearch,
} from './requests-search.ts';

/** The API requests of all merchants, with their errors by code and route above. */
export function RequestsPage() {
  const environment = useEnvironment();
  const { after, ...filters }: Partial<RequestsSearch> = useSearch({ strict: false });
  const list = useList<ApiRequest>({
    topic: 'requests',
    queryKey: [environment, 'requests', filters, after],
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/requests', {
          params: {
            path: { environment },
            query: { ...filters, ...(after !== undefined && { starting_after: after }) },
          },
          signal,
          headers,
        }),
      ),
    isFirstPage: after === undefined,
  });
  return (
    <Page
      title="Request log"
      summary="Every POST of merchants, and everything else that failed. Bodies are not kept."
      actions={<CsvLink path={`/admin/api/${environment}/requests.csv`} filters={filters} />}
    >
      {filters.request_id === undefined && <ErrorGroups />}
      <RequestFilterBar filters={filters} />
      <NewRows list={list} />
      <DataTable
        label="API requests"
        columns={columnsOf(environment)}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No requests',
          hint: hasFilters(filters)
            ? 'No request matches these filters. Requests are kept for a week, unless the service is set otherwise.'
            : 'No merchant has sent a POST to this environment lately.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

const ANSWER_NAME = { '2xx': '2xx', '4xx': '4xx', '5xx': '5xx', none: 'No answer' } as const;

function RequestFilterBar({ filters }: { readonly filters: Partial<RequestFilters> }) {
  const set = useSetFilters<Partial<Record<keyof RequestFilters, string | undefined>>>();
  const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
  return (
    <Filters label="Filters of requests" onClear={hasFilters(filters) ? () => set(none) : undefined}>
      <SelectFilter
        label="Answer"
        value={filters.status}
        options={ANSWERS.map((value) => ({ value, label: ANSWER_NAME[value] }))}
        onChange={(status) => set({ status })}
      />
      <SelectFilter
        label="Error"
        value={filters.error_code}
        options={CODES.map((value) => ({ value, label: codeText(value) }))}
        onChange={(code) => set({ error_code: code })}
      />
      <SelectFilter
        label="Method"
        value={filters.method}
        options={METHODS.map((value) => ({ value, label: value }))}
        onChange={(method) => set({ method })}
      />
      <TextFilter
        label="Route"
        value={filters.route}
        placeholder="/v1/payment-intents"
        onChange={(route) => set({ route })}
      />
      <MerchantFilter value={filters.merchant_id} onChange={set} />
      <TextFilter
        label="API key id"
        value={filters.api_key_id}
        placeholder="key_…"
        onChange={(id) => set({ api_key_id: id })}
      />
      <TextFilter
        label="Request id"
        value={filters.request_id}
        placeholder="req_…"
        onChange={(id) => set({ request_id: id })}
      />
      <PeriodFilter value={filters} onChange={set} />
    </Filters>
  );
}

/** The pages of objects, by the prefixes of their ids. */
const PAGE_OF: Readonly<Record<string, string>> = {
  pi: 'intents',
  wd: 'withdrawals',
  we: 'endpoints',
  dlv: 'deliveries',
  pkt: 'pockets',
};

const KEY_SHOWN_MAX = 16;

function columnsOf(environment: string): Column<ApiRequest>[] {
  return [
    {
      key: 'call',
      header: 'Call',
      cell: (row) => (
        <Stack gap={2}>
          <Call method={row.method} route={row.route} />
          {row.resource_id !== null && (
            <Text size="xs" c="dimmed" component="span">
              <Resource environment={environment} id={row.resource_id} />
            </Text>
          )}
        </Stack>
      ),
    },
    { key: 'answer', header: 'Answer', cell: (row) => <Answer {...row} /> },
    {
      key: 'merchant',
      header: 'Merchant',
      cell: (row) => (
        <Stack gap={2}>
          <ForeignText value={row.merchant_name} max={40} />
          <Text size="xs" c="dimmed" component="span">
            <Copy value={row.api_key_id} label="API key id" shown={row.api_key} />
          </Text>
        </Stack>
      ),
    },
    {
      key: 'idempotency',
      header: 'Idempotency key',
      cell: ({ idempotency_key: key }) => (key === null ? '–' : <IdempotencyKey value={key} />),
    },
    {
      key: 'duration',
      header: 'Took',
      align: 'right',
      cell: ({ duration_ms: ms }) => <span className={styles['whole']}>{wholeText(ms)} ms</span>,
      isMinor: true,
    },
    { key: 'created', header: 'Received', cell: ({ created_at: at }) => <Time at={at} /> },
    {
      key: 'id',
      header: 'Request',
      cell: ({ id }) => (
        <span className={styles['whole']}>
          <Copy value={id} label="request id" shown={shortId(id)} />
        </span>
      ),
    },
  ];
}

/** The beginning of a key, which most clients make of random characters. */
function IdempotencyKey({ value }: { readonly value: string }) {
  const shown = value.length > KEY_SHOWN_MAX ? `${value.slice(0, KEY_SHOWN_MAX)}…` : value;
  return (
    <span className={styles['whole']}>
      <Copy value={value} label="idempotency key" shown={shown} />
    </span>
  );
}

function Resource({ environment, id }: { readonly environment: string; readonly id: string }) {
  const page = PAGE_OF[id.split('_', 1)[0] ?? ''];
  return page === undefined ? (
    <Copy value={id} label="resource id" shown={shortId(id)} />
  ) : (
    <IdLink to={`/${environment}/${page}/${id}`} id={id} />
  );
}

function Answer({ status, error_code: code, replayed }: ApiRequest) {
  const about = replayed ? 'replayed' : code === null ? null : codeText(code);
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge
        word={status === null ? 'No answer' : String(status)}
        tone={code === null ? 'good' : status === null || status >= 500 ? 'bad' : 'warning'}
      />
      {about !== null && (
        <Text size="xs" c="dimmed" component="span" className={styles['whole'] ?? ''}>
          {about}
        </Text>
      )}
    </Stack>
  );
}
