import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import type { Environment } from '../../session/session.ts';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, SelectFilter, useSetFilters } from '../../ui/filters.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { fiatText } from '../../ui/money.ts';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { ReasonAction } from '../../ui/reason-action.tsx';
import { statusText } from '../../ui/status-words.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { showSuccess } from '../../ui/toasts.ts';
import { type Page as ListPage, useList } from '../../ui/use-list.ts';
import { KNOW_KINDS, type KnowSearch } from './deposits-search.ts';

type Kind = KnowSearch['kind'];

/** A payment that went other than asked. */
interface Row {
  readonly id: string;
  readonly environment: Environment;
  readonly kind: 'payment_intent' | 'deposit';
  readonly what: string;
  readonly merchant: string | null;
  readonly at: string;
  readonly isKnown: boolean;
}

const NAME: Readonly<Record<Kind, string>> = { under: 'Too little', over: 'Too much', late: 'Too late' };

/** Payments that went other than asked, and whose money is in its pocket: nothing is to be decided. */
export function KnowPage() {
  const environment = useEnvironment();
  const search: Partial<KnowSearch> = useSearch({ strict: false });
  const { kind = 'under', after } = search;
  const isKnown = search.acknowledged === 'true';
  const set = useSetFilters<Partial<Record<keyof KnowSearch, string | undefined>>>();
  const list = useList<Row>({
    topic: 'intents',
    queryKey: ['know', environment, kind, isKnown, after],
    isFirstPage: after === undefined,
    load: (request) => pageOf(environment, kind, isKnown, { ...request, after }),
  });
  return (
    <Page
      title="Unusual payments"
      summary="Payments with too little or too much money, and late payments. The money is already in the merchant's pocket."
      actions={<CsvLink {...exportOf(environment, kind, isKnown)} />}
    >
      <Filters label="Filters of unusual payments" onClear={undefined}>
        <SelectFilter
          label="What arrived"
          value={kind}
          options={KNOW_KINDS.map((value) => ({ value, label: NAME[value] }))}
          onChange={(next) => set({ kind: next })}
          isRequired
        />
        <SelectFilter
          label="Acknowledged"
          value={isKnown ? 'yes' : 'no'}
          options={[
            { value: 'no', label: 'Not yet' },
            { value: 'yes', label: 'Acknowledged' },
          ]}
          onChange={(next) => set({ acknowledged: next === 'yes' ? 'true' : undefined })}
          isRequired
        />
      </Filters>
      <NewRows list={list} />
      <DataTable
        label={NAME[kind]}
        columns={COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: isKnown ? 'Nothing was acknowledged yet' : 'No unusual payments to acknowledge',
          hint: 'Payments with too little or too much money, and late ones, appear here.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

interface PageRequest {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  readonly after: string | undefined;
}

async function pageOf(
  environment: Environment,
  kind: Kind,
  isKnown: boolean,
  { signal, headers, after }: PageRequest,
): Promise<ListPage<Row>> {
  const path = { environment };
  const bounds = { limit: 25, ...(after !== undefined && { starting_after: after }) };
  if (kind === 'late') {
    const query = { ...bounds, late_acknowledged: isKnown };
    const page = await answerOf(
      api.GET('/admin/api/{environment}/deposits', { params: { path, query }, signal, headers }),
    );
    const data = page.data.map(({ id, amount_decimal: amount, token, network, seen_at: at }): Row => ({
      id,
      environment,
      kind: 'deposit',
      what: `${amount} ${token} on ${network}, after the end of its intent`,
      merchant: null,
      at,
      isKnown,
    }));
    return { ...page, data };
  }
  const query = { ...bounds, unusual: kind, acknowledged: isKnown };
  const page = await answerOf(
    api.GET('/admin/api/{environment}/intents', { params: { path, query }, signal, headers }),
  );
  const data = page.data.map(({ id, merchant_name: merchant, created_at: at, ...intent }): Row => ({
    id,
    environment,
    kind: 'payment_intent',
    what: `${fiatText(intent.received_amount_cents + intent.overpaid_amount_cents, intent.currency)} of ${fiatText(intent.amount_cents, intent.currency)}, ${statusText(intent.status).toLowerCase()}`,
    merchant,
    at,
    isKnown,
  }));
  return { ...page, data };
}

/** The export of the rows that are shown. */
function exportOf(environment: Environment, kind: Kind, isKnown: boolean) {
  const list = `/admin/api/${environment}`;
  return kind === 'late'
    ? { path: `${list}/deposits.csv`, filters: { late_acknowledged: String(isKnown) } }
    : { path: `${list}/intents.csv`, filters: { unusual: kind, acknowledged: String(isKnown) } };
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'id',
    header: 'Id',
    cell: ({ id, kind, environment }) => (
      <IdLink to={`/${environment}/${kind === 'deposit' ? 'deposits' : 'intents'}/${id}`} id={id} />
    ),
  },
  { key: 'what', header: 'What arrived', cell: ({ what }) => what },
  {
    key: 'merchant',
    header: 'Merchant',
    cell: ({ merchant }) => (merchant === null ? '–' : <ForeignText value={merchant} />),
  },
  { key: 'at', header: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    key: 'action',
    header: 'Action',
    cell: ({ id, kind, isKnown }) => (isKnown ? 'Acknowledged' : <Acknowledge id={id} kind={kind} />),
  },
];

function Acknowledge({ id, kind }: Pick<Row, 'id' | 'kind'>) {
  const environment = useEnvironment();
  const client = useQueryClient();
  return (
    <ReasonAction
      name={`acknowledge-${id}`}
      permission="payments.acknowledge"
      label="Acknowledge"
      title="Acknowledge this payment"
      effect="It leaves this queue. Nothing is booked: its money is in the pocket already."
      onConfirm={async ({ reason = '' }) => {
        const body = { kind, id, note: reason };
        await answerOf(
          api.POST('/admin/api/{environment}/acknowledgements', { params: { path: { environment } }, body }),
        );
        showSuccess('It is acknowledged');
        await client.invalidateQueries({ queryKey: ['know', environment] });
      }}
    />
  );
}
