import { Button, Stack, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { EndpointStatus } from '../endpoints/endpoint-status.tsx';
import styles from './dead-letters.module.css';
import { deadLettersQuery, SHOWN_AT_FIRST, SHOWN_MAX } from './dead-letters-query.ts';
import { RESPONSES } from './delivery-search.ts';
import { LazyReplayDialog } from './lazy-replay-dialog.tsx';
import type { ReplayOrder } from './replay-dialog.tsx';
import { minuteOf, type ReplayState, useReplayState } from './replay-state.ts';

type Cause = components['schemas']['DeadLetterCause'];

/** The landing page: dead letters, one row for each endpoint and cause. */
export function DeadLettersPage() {
  const environment = useEnvironment();
  const session = useSession();
  const live = useLive('dead_letters', 'endpoints');
  const replay = useReplayState();
  const [limit, setLimit] = useState(SHOWN_AT_FIRST);
  const list = useQuery({ ...deadLettersQuery(environment, limit), placeholderData: keepPreviousData, ...live });
  const rights = {
    replay: may(session, environment, 'deliveries.replay'),
    enable: may(session, environment, 'endpoints.enable'),
  };
  return (
    <Page
      title="Dead letters"
      summary="Deliveries that used up all their attempts, by endpoint and last answer. Find the cause, have it fixed, then recover them."
    >
      <DataTable
        label="Dead letters by endpoint and cause"
        columns={columnsOf(environment, replay, rights)}
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
      {list.data?.has_more === true && limit < SHOWN_MAX && (
        <Button variant="subtle" size="xs" mt="xs" loading={list.isPlaceholderData} onClick={() => setLimit(SHOWN_MAX)}>
          Show all groups
        </Button>
      )}
      <LazyReplayDialog order={rights.replay || replay.name === 'preview' ? orderOf(replay) : null} />
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

/** What the open dialog sends, as the address names it; null when it names nothing. */
function orderOf({ name, cause = '' }: ReplayState): ReplayOrder | null {
  const [endpointId = '', answers] = cause.split(':');
  const response = RESPONSES.find((one) => one === answers);
  if ((name !== 'recover' && name !== 'preview') || endpointId === '' || response === undefined) return null;
  return { verb: 'recover', endpoint_id: endpointId, status: 'dead_letter', response };
}

interface Rights {
  readonly replay: boolean;
  readonly enable: boolean;
}

function columnsOf(environment: string, replay: ReplayState, rights: Rights): Column<Cause>[] {
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
    { key: 'since', header: 'Oldest created', cell: (row) => <Time at={row.since} /> },
    { key: 'latest', header: 'Newest created', cell: (row) => <Time at={row.latest} />, isMinor: true },
    {
      key: 'state',
      header: 'Endpoint state',
      cell: (row) =>
        row.endpoint_deleted ? (
          <StatusBadge word="Deleted" tone="neutral" />
        ) : (
          <EndpointStatus
            endpoint={{
              enabled: row.endpoint_enabled,
              disabled_reason: row.endpoint_disabled_reason,
              failing_since: row.endpoint_failing_since,
            }}
          />
        ),
    },
    {
      key: 'actions',
      header: 'Actions',
      cell: (row) => <CauseActions row={row} environment={environment} replay={replay} rights={rights} />,
    },
  ];
}

interface CauseActionsProps {
  readonly row: Cause;
  readonly environment: string;
  readonly replay: ReplayState;
  readonly rights: Rights;
}

/** What can be done about a cause: one main action, and links. To enable the endpoint is offered to those who may. */
function CauseActions({ row, environment, replay, rights }: CauseActionsProps) {
  const about = `${row.endpoint_url}, ${row.sentence}`;
  const response = responseOf(row);
  const subject = { cause: `${row.endpoint_id}:${response}`, since: minuteOf(row.since) };
  const verb = row.endpoint_enabled ? 'Recover' : 'Enable and recover';
  const canRecover = !row.endpoint_deleted && rights.replay && (row.endpoint_enabled || rights.enable);
  const filter = { endpoint_id: row.endpoint_id, status: 'dead_letter', response } as const;
  return (
    <div className={styles['actions']}>
      {canRecover && (
        <Button size="xs" onClick={() => replay.open('recover', subject)} aria-label={`${verb} ${about}`}>
          {verb}
        </Button>
      )}
      <div className={styles['further']}>
        {!row.endpoint_deleted && (
          <UnstyledButton
            className={styles['link'] ?? ''}
            onClick={() => replay.open('preview', subject)}
            aria-label={`Preview a replay of ${about}`}
          >
            Preview
          </UnstyledButton>
        )}
        <PlaceLink
          to={`/${environment}/deliveries?${new URLSearchParams(filter)}`}
          className={styles['link'] ?? ''}
          aria-label={`Open the deliveries of ${about}`}
        >
          Open
        </PlaceLink>
      </div>
    </div>
  );
}
