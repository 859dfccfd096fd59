import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, hasFilters, SelectFilter, TextFilter, useSetFilters } from '../../ui/filters.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { NewRows } from '../../ui/new-rows.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useDialog } from '../../ui/use-dialog.ts';
import { useList } from '../../ui/use-list.ts';
import { MerchantState } from './merchant-state.tsx';
import { MERCHANT_STATES, type MerchantsSearch, queryOf } from './merchants-search.ts';

type Merchant = components['schemas']['Merchant'];

/** All merchants. */
export function MerchantsPage() {
  const environment = useEnvironment();
  const { after, dialog: _dialog, ...filters }: Partial<MerchantsSearch> = useSearch({ strict: false });
  const set = useSetFilters<MerchantsSearch>();
  const query = queryOf(filters);
  const list = useList<Merchant>({
    topic: 'merchants',
    queryKey: [environment, 'merchants', query, after],
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/merchants', {
          params: { path: { environment }, query: { ...query, ...(after !== undefined && { starting_after: after }) } },
          signal,
          headers,
        }),
      ),
    isFirstPage: after === undefined,
  });
  return (
    <Page title="Merchants" summary="Who collects payments here." actions={<NewMerchant />}>
      <Filters
        label="Filters of merchants"
        onClear={hasFilters(filters) ? () => set({ name: undefined, state: undefined }) : undefined}
      >
        <TextFilter
          label="Exact name"
          value={filters.name}
          placeholder="Acme GmbH"
          onChange={(name) => set({ name })}
        />
        <SelectFilter
          label="Status"
          value={filters.state}
          options={MERCHANT_STATES.map((value) => ({ value, label: value }))}
          onChange={(state) => set({ state })}
        />
      </Filters>
      <NewRows list={list} />
      <DataTable
        label="Merchants"
        columns={columnsOf(environment)}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No merchants',
          hint: hasFilters(filters)
            ? 'No merchant fits these filters. Enter the complete name.'
            : 'An administrator creates the first one here.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

function columnsOf(environment: string): Column<Merchant>[] {
  return [
    {
      key: 'name',
      header: 'Merchant',
      cell: (row) => (
        <Stack gap={2}>
          <Link to={'/$environment/merchants/$id'} params={{ environment, id: row.id }}>
            <ForeignText value={row.name} max={70} />
          </Link>
          <Text size="xs" c="dimmed" component="span">
            {row.id}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'state',
      header: 'Status',
      cell: (row) => (
        <Group gap="xs">
          <MerchantState merchant={row} />
          {row.signing_frozen && <StatusBadge word="Signing frozen" tone="paused" />}
        </Group>
      ),
    },
    { key: 'keys', header: 'Active keys', align: 'right', cell: (row) => wholeText(row.working_keys) },
    {
      key: 'used',
      header: 'Last API call',
      cell: (row) => (row.key_last_used_at === null ? 'never' : <Time at={row.key_last_used_at} />),
    },
    { key: 'created', header: 'Created', cell: (row) => <Time at={row.created_at} />, isMinor: true },
  ];
}

/** The button and the dialog that make a merchant. */
function NewMerchant() {
  const environment = useEnvironment();
  const session = useSession();
  const navigate = useNavigate();
  const { isOpen, open, close } = useDialog('new');
  if (!may(session, environment, 'merchants.create')) return null;
  return (
    <>
      <Button size="xs" onClick={open}>
        New merchant
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="New merchant"
        confirmLabel="Create"
        onClose={close}
        onConfirm={async ({ name = '', reason = '' }) => {
          const { id } = await answerOf(
            api.POST('/admin/api/{environment}/merchants', {
              params: { path: { environment } },
              body: { name, reason },
            }),
          );
          await navigate({ to: '/$environment/merchants/$id', params: { environment, id } });
        }}
      >
        <Text>
          The merchant gets a pocket for each token on offer, in both environments. The name cannot be changed.
        </Text>
        <TextInput name="name" label="Name" required maxLength={255} data-autofocus />
        <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} />
      </ConfirmDialog>
    </>
  );
}
