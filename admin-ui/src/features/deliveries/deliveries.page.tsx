import { Button, Group, Stack, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
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
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { shortId } from '../../ui/short.ts';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import {
  type Delivery,
  type DeliveryFilters,
  type DeliverySearch,
  EVENT_TYPES,
  RESPONSES,
  STATUSES,
} from './delivery-search.ts';
import { DeliveryStatus } from './delivery-status.tsx';
import { ReplayDialog, type ReplayOrder } from './replay-dialog.tsx';
import { type ReplayName, type ReplayState, useReplayState } from './replay-state.ts';

const VIEWS = [
  ['All', undefined],
  ['Delivered', 'delivered'],
  ['Retrying', 'pending'],
  ['Dead-lettered', 'dead_letter'],
  ['Held', 'held'],
] as const satisfies readonly (readonly [string, (typeof STATUSES)[number] | undefined])[];

/** All deliveries of the environment, with filters in the address. */
export function DeliveriesPage() {
  const environment = useEnvironment();
  const session = useSession();
  const search: Partial<DeliverySearch> = useSearch({ strict: false });
  const { after, dialog: _dialog, since: _since, ...filters } = search;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const replay = useReplayState();
  const list = useList<Delivery>({
    topic: 'deliveries',
    queryKey: [environment, 'deliveries', filters, after],
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/deliveries', {
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
  const canReplay = may(session, environment, 'deliveries.replay');
  const selected = (list.rows ?? []).map(({ id }) => id).filter((id) => chosen.has(id));
  useCloseWithoutSelection(replay, chosen.size);
  return (
    <Page
      title="Deliveries"
      summary="The latest series of each event and endpoint, newest first."
      actions={<CsvLink path={`/admin/api/${environment}/deliveries.csv`} filters={filters} />}
    >
      <DeliveryFilterBar filters={filters} />
      {canReplay && (
        <ReplayBar
          chosen={selected.length}
          hasRows={(list.rows?.length ?? 0) > 0}
          onOpen={(name) => replay.open(name, { since: filters.created_gte })}
        />
      )}
      <NewRows list={list} />
      <DataTable
        label="Deliveries"
        columns={columnsOf(environment)}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No deliveries',
          hint: hasFilters(filters)
            ? 'Nothing matches these filters in this environment.'
            : 'No deliveries in this environment yet.',
        }}
        {...(canReplay && { selection: { ids: chosen, onChange: setChosen } })}
      />
      <Pager nextCursor={list.nextCursor} />
      <ReplayDialog order={canReplay ? orderOf(replay.name, filters, selected) : null} />
    </Page>
  );
}

/** Closes a dialog for chosen rows that the address still names where none is chosen, as after a reload. */
function useCloseWithoutSelection({ name, close }: ReplayState, chosen: number): void {
  const isWithoutRows = name?.endsWith('_selected') === true && chosen === 0;
  useEffect(() => {
    if (isWithoutRows) close();
  }, [isWithoutRows, close]);
}

/** What the open dialog sends: what the filters match, or the chosen rows. Null when there is neither. */
function orderOf(
  name: ReplayName | undefined,
  filters: Partial<DeliveryFilters>,
  ids: readonly string[],
): ReplayOrder | null {
  if (name === 'recover' || name === 'resend') return { verb: name, ...filters };
  if (ids.length === 0) return null;
  if (name === 'recover_selected') return { verb: 'recover', delivery_ids: [...ids] };
  return name === 'resend_selected' ? { verb: 'resend', delivery_ids: [...ids] } : null;
}

function DeliveryFilterBar({ filters }: { readonly filters: Partial<DeliveryFilters> }) {
  const set = useSetFilters<DeliveryFilters>();
  const words = <Word extends string>(all: readonly Word[]) => all.map((value) => ({ value, label: value }));
  const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
  return (
    <Stack gap="xs">
      <Group gap={4} role="group" aria-label="Views">
        {VIEWS.map(([label, status]) => (
          <Button
            key={label}
            size="xs"
            variant={filters.status === status ? 'filled' : 'default'}
            aria-pressed={filters.status === status}
            onClick={() => set({ status })}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Filters label="Filters of deliveries" onClear={hasFilters(filters) ? () => set(none) : undefined}>
        <SelectFilter
          label="Answer"
          value={filters.response}
          options={RESPONSES.map((value) => ({ value, label: value === 'none' ? 'No answer' : value }))}
          onChange={(response) => set({ response })}
        />
        <SelectFilter
          label="Event type"
          value={filters.event_type}
          options={words(EVENT_TYPES)}
          onChange={(type) => set({ event_type: type })}
        />
        <TextFilter
          label="Endpoint"
          value={filters.endpoint_id}
          placeholder="we_…"
          onChange={(id) => set({ endpoint_id: id })}
        />
        <MerchantFilter value={filters.merchant_id} onChange={set} />
        <TextFilter
          label="Event"
          value={filters.event_id}
          placeholder="evt_…"
          onChange={(id) => set({ event_id: id })}
        />
        <PeriodFilter value={filters} onChange={set} />
      </Filters>
    </Stack>
  );
}

interface ReplayBarProps {
  /** How many rows are chosen. */
  readonly chosen: number;
  readonly hasRows: boolean;
  readonly onOpen: (name: ReplayName) => void;
}

/** What can be done with the chosen rows, or with all that match. */
function ReplayBar({ chosen, hasRows, onOpen }: ReplayBarProps) {
  const [what, suffix] = chosen > 0 ? (['selected', '_selected'] as const) : (['all matching', ''] as const);
  const isDisabled = chosen === 0 && !hasRows;
  return (
    <Group gap="xs" role="group" aria-label="Send again">
      {chosen > 0 && <Text size="sm">{chosen} selected</Text>}
      <Button size="xs" disabled={isDisabled} onClick={() => onOpen(`recover${suffix}`)}>
        Recover {what}
      </Button>
      <Button size="xs" variant="default" disabled={isDisabled} onClick={() => onOpen(`resend${suffix}`)}>
        Resend {what}
      </Button>
    </Group>
  );
}

function columnsOf(environment: string): Column<Delivery>[] {
  return [
    {
      key: 'delivery',
      header: 'Event',
      cell: (row) => (
        <Stack gap={2}>
          <Link to={'/$environment/deliveries/$id'} params={{ environment, id: row.id }}>
            <EventType type={row.event_type} />
          </Link>
          <Text size="xs" c="dimmed" component="span">
            <Copy value={row.resource_id} label="resource id" shown={shortId(row.resource_id)} />
          </Text>
        </Stack>
      ),
    },
    {
      key: 'endpoint',
      header: 'Endpoint',
      cell: (row) => (
        <Stack gap={2}>
          <ForeignText value={row.endpoint_url} max={50} />
          <Text size="xs" c="dimmed" component="span">
            <ForeignText value={row.merchant_name} max={40} />
          </Text>
        </Stack>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      cell: (row) => <DeliveryStatus status={row.status} attempts={row.attempt_count} />,
    },
    { key: 'attempts', header: 'Attempts', align: 'right', cell: (row) => `${row.attempt_count} of 6`, isMinor: true },
    { key: 'answer', header: 'Last answer', cell: (row) => row.last_cause ?? row.last_response_status ?? '–' },
    {
      key: 'next',
      header: 'Next attempt',
      cell: (row) => (row.next_attempt_at === null ? '–' : <Time at={row.next_attempt_at} />),
      isMinor: true,
    },
    { key: 'created', header: 'Created', cell: (row) => <Time at={row.created_at} /> },
  ];
}

/** The type of an event, which breaks behind its dot where there is little room. */
function EventType({ type }: { readonly type: string }) {
  const [subject, what] = type.split('.', 2);
  return what === undefined ? (
    type
  ) : (
    <>
      {subject}.<wbr />
      {what}
    </>
  );
}
