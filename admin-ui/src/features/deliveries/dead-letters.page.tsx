import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { countText, ReplayDialog, type ReplayOrder } from './replay-dialog.tsx';

type Cause = components['schemas']['DeadLetterCause'];

/** The landing page: dead letters, one row for each endpoint and cause. */
export function DeadLettersPage() {
  const environment = useEnvironment();
  const session = useSession();
  const [order, setOrder] = useState<ReplayOrder | null>(null);
  const live = useLive('dead_letters', 'endpoints');
  const list = useQuery({
    queryKey: [environment, 'dead-letters'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/dead-letters', {
          params: { path: { environment } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  const canReplay = may(session, environment, 'deliveries.replay');
  return (
    <Page
      title="Dead letters"
      summary="Deliveries whose attempts are all spent, by endpoint and by the last answer. Find the cause, let it be fixed, then replay."
    >
      <DataTable
        label="Dead letters by endpoint and cause"
        columns={columnsOf(environment, canReplay ? setOrder : null)}
        rows={list.data?.data}
        error={list.error === null ? null : asApiError(list.error)}
        onRetry={() => void list.refetch()}
        empty={{
          title: 'No dead letters',
          hint: (
            <Link to={'/$environment/deliveries'} params={{ environment }}>
              Look at all deliveries
            </Link>
          ),
        }}
      />
      {order !== null && <ReplayDialog isOpen order={order} onClose={() => setOrder(null)} />}
    </Page>
  );
}

/** The answers that a cause belongs to, as the list filters them. */
export function responseOf({
  response_status: status,
}: Pick<Cause, 'response_status'>): '3xx' | '4xx' | '5xx' | 'none' {
  if (status === null) return 'none';
  return status < 400 ? '3xx' : status < 500 ? '4xx' : '5xx';
}

function columnsOf(environment: string, onReplay: ((order: ReplayOrder) => void) | null): Column<Cause>[] {
  const filterOf = (row: Cause) =>
    ({ endpoint_id: row.endpoint_id, status: 'dead_letter', response: responseOf(row) }) as const;
  return [
    {
      key: 'endpoint',
      header: 'Endpoint',
      cell: (row) => (
        <Stack gap={2}>
          <Link to={'/$environment/endpoints/$id'} params={{ environment, id: row.endpoint_id }}>
            <ForeignText value={row.endpoint_url} max={70} />
          </Link>
          <Text size="xs" c="dimmed" component="span">
            <ForeignText value={row.merchant_name} max={60} />
          </Text>
        </Stack>
      ),
    },
    { key: 'cause', header: 'Cause', cell: (row) => row.sentence },
    { key: 'count', header: 'Dead', align: 'right', cell: (row) => countText(row.count, row.count_is_more) },
    { key: 'since', header: 'Since', cell: (row) => <Time at={row.since} /> },
    { key: 'latest', header: 'Latest', cell: (row) => <Time at={row.latest} />, isMinor: true },
    {
      key: 'state',
      header: 'State',
      cell: (row) =>
        row.endpoint_deleted ? (
          <StatusBadge word="Deleted" tone="neutral" />
        ) : row.endpoint_enabled ? (
          <StatusBadge word="Enabled" tone="good" />
        ) : (
          <StatusBadge word="Disabled" tone="paused" />
        ),
    },
    {
      key: 'actions',
      header: 'Actions',
      cell: (row) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            component={Link}
            to={'/$environment/deliveries'}
            {...({ params: { environment }, search: filterOf(row) } as object)}
            variant="default"
            size="xs"
            aria-label={`Open the deliveries of ${row.endpoint_url}, ${row.sentence}`}
          >
            Open
          </Button>
          {onReplay !== null && !row.endpoint_deleted && (
            <Button
              size="xs"
              onClick={() => onReplay({ verb: 'recover', ...filterOf(row) })}
              aria-label={`Replay ${row.endpoint_url}, ${row.sentence}`}
            >
              {row.endpoint_enabled ? 'Replay' : 'Enable and replay'}
            </Button>
          )}
        </Group>
      ),
    },
  ];
}
