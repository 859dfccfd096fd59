import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { FormError } from '../../session/form-error.tsx';
import { may, useSession } from '../../session/session.ts';
import { useSubmit } from '../../session/use-submit.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { ANSWERS, type Inbox } from './inbox-answers.ts';

/** Receivers of webhooks that the service plays itself: for developers who have none yet, and to see retries. */
export function InboxesPage() {
  const environment = useEnvironment();
  const session = useSession();
  const list = useQuery({
    queryKey: [environment, 'inboxes'],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/admin/api/{environment}/inboxes', { params: { path: { environment } }, signal })),
    refetchOnMount: 'always',
  });
  return (
    <Page
      title="Webhook inbox"
      summary="Test receivers for webhooks. An inbox shows each request that its endpoint is sent."
    >
      {may(session, environment, 'sandbox.act') && <NewInbox />}
      <DataTable<Inbox>
        label="Inboxes"
        rows={list.data?.data}
        error={list.error === null ? null : asApiError(list.error)}
        onRetry={() => void list.refetch()}
        empty={{ title: 'No inbox yet', hint: 'Create one: it gets an endpoint of its own, for all events.' }}
        columns={[
          {
            key: 'inbox',
            header: 'Inbox',
            cell: (row) => (
              <Stack gap={2}>
                <Link to={'/$environment/inbox/$id'} params={{ environment, id: row.id }}>
                  {row.id}
                </Link>
                <Text size="xs" c="dimmed" component="span">
                  <ForeignText value={row.merchant_name} max={60} />
                </Text>
              </Stack>
            ),
          },
          {
            key: 'answer',
            header: 'Answers',
            cell: ({ answer }) => <StatusBadge word={ANSWERS[answer].label} tone={ANSWERS[answer].tone} />,
          },
          {
            key: 'endpoint',
            header: 'Endpoint',
            cell: (row) => (
              <Link to={'/$environment/endpoints/$id'} params={{ environment, id: row.endpoint_id }}>
                {row.endpoint_id}
              </Link>
            ),
            isMinor: true,
          },
          { key: 'created', header: 'Created', cell: (row) => <Time at={row.created_at} /> },
        ]}
      />
    </Page>
  );
}

function NewInbox() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { isSending, error, onSubmit } = useSubmit(async ({ merchant = '' }) => {
    const body = merchant.trim() === '' ? {} : { merchant_id: merchant.trim() };
    const made = await answerOf(
      api.POST('/admin/api/{environment}/inboxes', { params: { path: { environment } }, body }),
    );
    await client.invalidateQueries({ queryKey: [environment, 'inboxes'] });
    await navigate({ to: '/$environment/inbox/$id', params: { environment, id: made.id } });
  });
  return (
    <Panel title="New inbox">
      <form onSubmit={onSubmit}>
        <Stack gap="xs">
          <Group gap="xs" align="flex-end">
            <TextInput
              size="xs"
              name="merchant"
              label="Merchant id"
              placeholder="mer_…"
              description="Leave it empty if the sandbox has one merchant."
              maxLength={64}
              spellCheck={false}
            />
            <Button type="submit" size="xs" loading={isSending}>
              Create inbox
            </Button>
          </Group>
          <FormError error={error} />
        </Stack>
      </form>
    </Panel>
  );
}
