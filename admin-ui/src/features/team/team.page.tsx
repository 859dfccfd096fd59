import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { useSession } from '../../session/session.ts';
import { Commands } from '../../ui/commands.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';

type Member = components['schemas']['TeamMember'];

const STATUS = {
  invited: { word: 'Invited', tone: 'busy' },
  active: { word: 'Active', tone: 'good' },
  disabled: { word: 'Disabled', tone: 'bad' },
} as const;

/** What is to be done to whom. */
interface Intention {
  readonly verb: 'disable' | 'end-sessions';
  readonly member: Member;
}

/** Who works in the console. */
export function TeamPage() {
  const environment = useEnvironment();
  const session = useSession();
  const live = useLive('team');
  const [intention, setIntention] = useState<Intention | null>(null);
  const team = useQuery({
    queryKey: [environment, 'team'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/team', {
          params: { path: { environment } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  return (
    <Page title="Team" summary={`Members with a role in ${environment}, and those without any.`}>
      <DataTable
        label="Team"
        columns={[...columnsOf(environment), actionColumn(session.staff.id, setIntention)]}
        rows={team.data?.data}
        error={team.error === null ? null : asApiError(team.error)}
        onRetry={() => void team.refetch()}
        empty={{ title: 'No members', hint: 'An operator invites members with the command below.' }}
      />
      <Panel title="Invite, reset, disable, change roles">
        <Text size="sm">
          These changes need the command line, so that a stolen session cannot add members or roles, nor lock out an
          administrator. A reset also enables a disabled member again.
        </Text>
        <Commands
          commands={[
            `npx coffer staff invite --email ADDRESS --role support --env ${environment}`,
            'npx coffer staff reset ADDRESS',
            'npx coffer staff disable ADDRESS',
            `npx coffer staff role ADDRESS --role viewer --env ${environment}`,
          ]}
        />
      </Panel>
      <LockDialog intention={intention} onClose={() => setIntention(null)} />
    </Page>
  );
}

function columnsOf(environment: string): Column<Member>[] {
  return [
    {
      key: 'email',
      header: 'Member',
      cell: ({ email }) => (
        <Stack gap={2}>
          <ForeignText value={email} max={80} />
          <PlaceLink to={`/${environment}/audit?actor=${encodeURIComponent(email)}`}>What they did</PlaceLink>
        </Stack>
      ),
    },
    { key: 'status', header: 'Status', cell: ({ status }) => <StatusBadge {...STATUS[status]} /> },
    {
      key: 'roles',
      header: 'Roles',
      cell: ({ roles }) => (
        <Stack gap={2}>
          <span>{roles.sandbox} in sandbox</span>
          <span>{roles.live} in live</span>
        </Stack>
      ),
    },
    {
      key: 'totp',
      header: 'Authenticator',
      cell: ({ totp_enabled: isSetUp }) =>
        isSetUp ? <StatusBadge word="Set up" tone="good" /> : <StatusBadge word="None" tone="warning" />,
    },
    {
      key: 'sign-in',
      header: 'Last sign-in',
      cell: ({ last_sign_in_at: at, sessions_hidden: isHidden }) =>
        isHidden ? 'not shown' : at === null ? 'never' : <Time at={at} />,
    },
    { key: 'sessions', header: 'Sessions', cell: (member) => <Sessions member={member} /> },
  ];
}

function Sessions({ member: { sessions, sessions_hidden: isHidden } }: { readonly member: Member }) {
  if (isHidden) return 'hidden: you are not an administrator in each environment of this member';
  if (sessions.length === 0) return 'none';
  return (
    <Stack gap={2}>
      {sessions.map(({ id, address, last_active_at: at }) => (
        <span key={id}>
          {address}, active <Time at={at} />
        </span>
      ))}
    </Stack>
  );
}

const isAdministrator = ({ roles }: Member): boolean => roles.sandbox === 'admin' || roles.live === 'admin';

const actionColumn = (selfId: string, onAct: (intention: Intention) => void): Column<Member> => ({
  key: 'actions',
  header: 'Action',
  cell: (member) => <MemberActions member={member} isSelf={member.id === selfId} onAct={onAct} />,
});

interface MemberActionsProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onAct: (intention: Intention) => void;
}

/** Nothing at all where nothing can be done: the row of an empty cell is left out of a card. */
function MemberActions({ member, isSelf, onAct }: MemberActionsProps) {
  const canEnd = member.sessions.length > (isSelf ? 1 : 0);
  const canDisable = member.status !== 'disabled' && !isAdministrator(member);
  if (!canEnd && !canDisable) return null;
  return (
    <Group gap={4}>
      {canEnd && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onAct({ verb: 'end-sessions', member })}
          aria-label={`${isSelf ? 'End other sessions' : 'End sessions'} of ${member.email}`}
        >
          {isSelf ? 'End other sessions' : 'End sessions'}
        </Button>
      )}
      {canDisable && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onAct({ verb: 'disable', member })}
          aria-label={`Disable ${member.email}`}
        >
          Disable
        </Button>
      )}
    </Group>
  );
}

const VERB = {
  disable: {
    title: 'Disable this member',
    label: 'Disable',
    effect:
      'can no longer sign in. Their sessions and invitations end. To enable them again, an operator runs npx coffer staff reset.',
  },
  'end-sessions': {
    title: 'End the sessions of this member',
    label: 'End sessions',
    effect: 'must sign in again. Your own present session stays.',
  },
} as const;

/** Not in the address: a reload or a shared link must not lead to the wrong member. */
function LockDialog({ intention, onClose }: { readonly intention: Intention | null; readonly onClose: () => void }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const verb = intention?.verb ?? 'disable';
  const { title, label, effect } = VERB[verb];
  return (
    <ConfirmDialog
      isOpen={intention !== null}
      title={title}
      confirmLabel={label}
      isDangerous
      onClose={onClose}
      onConfirm={async ({ reason = '' }) => {
        const params = { path: { environment, id: intention?.member.id ?? '' } };
        await answerOf(api.POST(`/admin/api/{environment}/team/{id}/${verb}`, { params, body: { reason } }));
        onClose();
        await client.invalidateQueries({ queryKey: [environment, 'team'] });
      }}
    >
      <Text>
        {intention !== null && <ForeignText value={intention.member.email} />} {effect}
      </Text>
      <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
    </ConfirmDialog>
  );
}
