import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { showSuccess } from '../../ui/toasts.ts';
import { useList } from '../../ui/use-list.ts';
import { NewKey } from './new-key.tsx';

type Key = components['schemas']['ApiKey'];

const STATUS = {
  active: { word: 'Active', tone: 'good' },
  expired: { word: 'Expired', tone: 'paused' },
  revoked: { word: 'Revoked', tone: 'bad' },
} as const;

/** The API keys of a merchant in this environment. */
export function KeysPanel({ merchant }: { readonly merchant: components['schemas']['Merchant'] }) {
  const environment = useEnvironment();
  const session = useSession();
  const [revoked, setRevoked] = useState<Key | null>(null);
  const { after }: { after?: string } = useSearch({ strict: false });
  const { id } = merchant;
  const list = useList<Key>({
    topic: 'merchants',
    queryKey: [environment, 'merchants', id, 'keys', after],
    isFirstPage: after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/merchants/{id}/keys', {
          params: { path: { environment, id }, query: after === undefined ? {} : { starting_after: after } },
          signal,
          headers,
        }),
      ),
  });
  const mayRevoke = may(session, environment, 'keys.revoke');
  return (
    <Panel title="API keys" actions={<NewKey merchant={merchant} onCreated={list.retry} />}>
      <DataTable
        label="API keys"
        columns={[...COLUMNS, ...(mayRevoke ? [revokeColumn(setRevoked)] : [])]}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: `No ${environment} keys`, hint: 'Without a key the merchant cannot call the API here.' }}
      />
      {(list.nextCursor !== null || after !== undefined) && <Pager nextCursor={list.nextCursor} />}
      <RevokeDialog keyToRevoke={revoked} onClose={() => setRevoked(null)} />
    </Panel>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    key: 'name',
    header: 'Key',
    cell: (row) => (
      <Stack gap={2}>
        <span>{row.name === null ? 'Without a name' : <ForeignText value={row.name} max={60} />}</span>
        <Text size="xs" c="dimmed" component="span">
          {row.shown_key}
        </Text>
      </Stack>
    ),
  },
  { key: 'status', header: 'Status', cell: (row) => <StatusBadge {...STATUS[row.status]} /> },
  { key: 'scopes', header: 'Scopes', cell: (row) => row.scopes.join(', ') },
  {
    key: 'used',
    header: 'Last used',
    cell: (row) => (row.last_used_at === null ? 'never' : <Time at={row.last_used_at} />),
  },
  { key: 'ends', header: 'Expires or revoked', cell: (row) => endOf(row) },
  { key: 'created', header: 'Created', cell: (row) => <Time at={row.created_at} />, isMinor: true },
];

function endOf({ revoked_at: revokedAt, expires_at: expiresAt }: Key) {
  const at = revokedAt ?? expiresAt;
  return at === null ? 'never' : <Time at={at} />;
}

const revokeColumn = (onRevoke: (key: Key) => void): Column<Key> => ({
  key: 'revoke',
  header: 'Action',
  cell: (row) =>
    row.status === 'active' && (
      <Button size="compact-sm" variant="default" onClick={() => onRevoke(row)} aria-label={`Revoke ${row.shown_key}`}>
        Revoke
      </Button>
    ),
});

/** Not in the address: a reload or a shared link must not lead to the wrong key. */
function RevokeDialog({ keyToRevoke, onClose }: { readonly keyToRevoke: Key | null; readonly onClose: () => void }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  return (
    <ConfirmDialog
      isOpen={keyToRevoke !== null}
      title="Revoke this key"
      confirmLabel="Revoke"
      isDangerous
      onClose={onClose}
      onConfirm={async ({ reason = '' }) => {
        if (keyToRevoke === null) return;
        const params = { path: { environment, id: keyToRevoke.id } };
        await answerOf(api.POST('/admin/api/{environment}/keys/{id}/revoke', { params, body: { reason } }));
        onClose();
        showSuccess('The key is revoked');
        await client.invalidateQueries({ queryKey: [environment, 'merchants'] });
      }}
    >
      <Text>
        {keyToRevoke?.shown_key} stops working within a second. You cannot undo this. Requests with it get 401.
      </Text>
      <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
    </ConfirmDialog>
  );
}
