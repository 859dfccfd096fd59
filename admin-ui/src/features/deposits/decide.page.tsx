import { Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, SelectFilter, useSetFilters } from '../../ui/filters.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { amountText } from '../../ui/money.ts';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { DECISION_KINDS, type DecideSearch, type DecisionKind } from './deposits-search.ts';
import { RetrySettlement } from './retry-settlement.tsx';

type Row = components['schemas']['Decision'];

const NAME: Readonly<Record<DecisionKind, string>> = {
  unattributed: 'Unattributed',
  on_hold: 'On hold',
  reorged: 'Removed by a reorg',
  quarantined: 'Settlement quarantined',
  kept: 'Kept on hold',
  refunding: 'Being refunded',
};

const EMPTY: Readonly<Record<DecisionKind, string>> = {
  unattributed: 'Money that arrives in another token, on another network, or without an intent waits here.',
  on_hold: 'Money of senders on the sanctions list waits here.',
  reorged: 'Final deposits that a reorg removed wait here until an operator books them out.',
  quarantined: 'Payment intents whose settlement failed five times wait here.',
  kept: 'What you keep on hold stands here. It can still be released.',
  refunding: 'Refunds stand here until they are final.',
};

/** What waits for a decision of staff, one kind at a time. */
export function DecidePage() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { kind: asked, after }: Partial<DecideSearch> = useSearch({ strict: false });
  const countsKey = ['decisions', environment, 'counts'];
  const counts = useQuery({
    queryKey: countsKey,
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/decision-counts', {
          params: { path: { environment } },
          signal,
          headers: client.getQueryData(countsKey) === undefined ? {} : BACKGROUND,
        }),
      ),
    ...useLive('intents', 'pockets', 'withdrawals'),
  });
  const kind = asked ?? 'unattributed';
  const list = useList<Row>({
    topic: 'intents',
    queryKey: ['decisions', environment, kind, after],
    // The oldest come first, so that new ones do not come in at the top.
    isFirstPage: false,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/decisions', {
          params: {
            path: { environment },
            query: { kind, limit: 25, ...(after !== undefined && { starting_after: after }) },
          },
          signal,
          headers,
        }),
      ),
  });
  const set = useSetFilters<Partial<Record<keyof DecideSearch, string | undefined>>>();
  const labelOf = (one: DecisionKind): string => {
    const count = counts.data?.[one];
    return count === undefined ? NAME[one] : `${NAME[one]} (${count})`;
  };
  return (
    <Page
      title="Open decisions"
      summary="Deposits and intents that wait for a decision of staff, oldest first."
      actions={<CsvLink path={`/admin/api/${environment}/decisions.csv`} filters={{ kind }} />}
    >
      <Filters label="What waits" onClear={undefined}>
        <SelectFilter
          label="What waits"
          value={kind}
          options={DECISION_KINDS.map((value) => ({ value, label: labelOf(value) }))}
          onChange={(next) => set({ kind: next })}
          isRequired
        />
      </Filters>
      <AlsoWaiting kind={kind} counts={counts.data} />
      <NewRows list={list} />
      <DataTable
        label={NAME[kind]}
        columns={COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'Nothing waits', hint: EMPTY[kind] }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

const WAITING = ['unattributed', 'on_hold', 'reorged', 'quarantined'] as const satisfies readonly DecisionKind[];

interface AlsoWaitingProps {
  readonly kind: DecisionKind;
  readonly counts: components['schemas']['DecisionCounts'] | undefined;
}

/** The other kinds of which something waits, and withdrawals, which have a list of their own. */
function AlsoWaiting({ kind, counts }: AlsoWaitingProps) {
  const environment = useEnvironment();
  const others = WAITING.filter((other) => other !== kind && (counts?.[other] ?? 0) > 0);
  const approvals = counts?.approvals ?? 0;
  if (others.length === 0 && approvals === 0) return null;
  return (
    <Group gap="xs">
      <Text size="sm">Also waiting:</Text>
      {others.map((other) => (
        <PlaceLink key={other} to={`/${environment}/decide?kind=${other}`}>
          {NAME[other]} ({counts?.[other]})
        </PlaceLink>
      ))}
      {approvals > 0 && (
        <PlaceLink to={`/${environment}/withdrawals?waits_for=approval`}>
          Withdrawals that need approval ({approvals})
        </PlaceLink>
      )}
    </Group>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'id',
    header: 'Deposit or intent',
    cell: ({ id, deposit_id: depositId, environment }) => (
      <IdLink to={`/${environment}/${depositId === null ? 'intents' : 'deposits'}/${id}`} id={id} />
    ),
  },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    cell: ({ amount_decimal: amount, token }) => (amount === null ? token : amountText(amount, token)),
  },
  { key: 'network', header: 'Network', cell: ({ network }) => network },
  { key: 'why', header: 'Why', cell: ({ sentence }) => sentence },
  {
    key: 'merchant',
    header: 'Merchant',
    cell: ({ merchant_name: name }) => (name === null ? '–' : <ForeignText value={name} />),
  },
  { key: 'since', header: 'Since', cell: ({ since }) => <Time at={since} /> },
  {
    key: 'action',
    header: 'Action',
    cell: ({ kind, id, environment }) =>
      kind === 'quarantined' ? (
        <RetrySettlement intentId={id} />
      ) : (
        <PlaceLink to={`/${environment}/deposits/${id}`} aria-label={`Open ${id}`}>
          Open
        </PlaceLink>
      ),
  },
];
