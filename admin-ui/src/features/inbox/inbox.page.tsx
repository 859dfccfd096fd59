import { Group, NativeSelect, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { NewRows } from '../../ui/new-rows.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { shortId } from '../../ui/short.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { showFailure, showSuccess } from '../../ui/toasts.ts';
import { useList } from '../../ui/use-list.ts';
import { SendTest } from '../endpoints/send-test.tsx';
import { ANSWERS, type Inbox, type InboxAnswer, type InboxSearch } from './inbox-answers.ts';
import { OpenedRequest } from './opened-request.tsx';
import styles from './inbox.module.css';

type Received = components['schemas']['InboxRequest'];

const CHOICES = Object.entries(ANSWERS).map(([value, { label }]) => ({ value, label }));

/** What one inbox has received, and what it answers. */
export function InboxPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const { request }: Partial<InboxSearch> = useSearch({ strict: false });
  const inboxes = useQuery({
    queryKey: [environment, 'inboxes'],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/admin/api/{environment}/inboxes', { params: { path: { environment } }, signal })),
  });
  const inbox = inboxes.data?.data.find((one) => one.id === id);
  return (
    <Page title={id} heading={id} summary="What the sandbox has received for this endpoint, the newest 200 requests.">
      {inboxes.isPending && <Loading />}
      {inboxes.error !== null && (
        <ErrorState error={asApiError(inboxes.error)} onRetry={() => void inboxes.refetch()} />
      )}
      {inboxes.data !== undefined && inbox === undefined && <Text>There is no such inbox in this environment.</Text>}
      {inbox !== undefined && (
        <>
          <InboxControls inbox={inbox} />
          <Requests inboxId={id} />
          {request !== undefined && <OpenedRequest key={request} inboxId={id} requestId={request} />}
        </>
      )}
    </Page>
  );
}

function InboxControls({ inbox }: { readonly inbox: Inbox }) {
  const environment = useEnvironment();
  const session = useSession();
  const client = useQueryClient();
  const setAnswer = async (answer: InboxAnswer): Promise<void> => {
    try {
      const params = { path: { environment, id: inbox.id } };
      await answerOf(api.POST('/admin/api/{environment}/inboxes/{id}/answer', { params, body: { answer } }));
      await client.invalidateQueries({ queryKey: [environment, 'inboxes'] });
      showSuccess('The answer is changed');
    } catch (error) {
      showFailure('The answer was not changed', error);
    }
  };
  return (
    <Group gap="md" align="flex-end">
      <NativeSelect
        size="xs"
        label="Answer webhooks with"
        data={CHOICES}
        value={inbox.answer}
        disabled={!may(session, environment, 'sandbox.act')}
        onChange={({ currentTarget }) => {
          const chosen = CHOICES.find(({ value }) => value === currentTarget.value);
          if (chosen !== undefined) void setAnswer(chosen.value as InboxAnswer);
        }}
      />
      {may(session, environment, 'endpoints.test') && <SendTest endpointId={inbox.endpoint_id} />}
      <Link
        className={styles['endpoint']}
        to={'/$environment/endpoints/$id'}
        params={{ environment, id: inbox.endpoint_id }}
      >
        Open the endpoint
      </Link>
    </Group>
  );
}

function Requests({ inboxId }: { readonly inboxId: string }) {
  const environment = useEnvironment();
  const { after }: Partial<InboxSearch> = useSearch({ strict: false });
  const list = useList<Received>({
    // A request is recorded here before its attempt is.
    topic: 'deliveries',
    queryKey: [environment, 'inbox-requests', inboxId, after],
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/inboxes/{id}/requests', {
          params: {
            path: { environment, id: inboxId },
            query: after === undefined ? {} : { starting_after: after },
          },
          signal,
          headers,
        }),
      ),
    isFirstPage: after === undefined,
  });
  return (
    <>
      <NewRows list={list} />
      <DataTable<Received>
        label="Received requests"
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'Nothing was received yet', hint: 'Send a test, or pay an intent of this merchant.' }}
        columns={[
          {
            key: 'request',
            header: 'Request',
            cell: (row) => (
              <Link
                to={'/$environment/inbox/$id'}
                params={{ environment, id: inboxId }}
                resetScroll={false}
                search={(before: InboxSearch) => ({ ...before, request: row.id })}
              >
                {shortId(row.id)}
              </Link>
            ),
          },
          {
            key: 'event',
            header: 'Event',
            cell: ({ event_id: event }) => (event === null ? '–' : shortId(event)),
            isMinor: true,
          },
          {
            key: 'answer',
            header: 'Answered',
            cell: ({ answer }) => <StatusBadge word={ANSWERS[answer].word} tone={ANSWERS[answer].tone} />,
          },
          { key: 'bytes', header: 'Bytes', align: 'right', cell: ({ bytes }) => wholeText(bytes) },
          { key: 'received', header: 'Received', cell: ({ received_at: at }) => <Time at={at} /> },
        ]}
      />
      <Pager nextCursor={list.nextCursor} />
    </>
  );
}
