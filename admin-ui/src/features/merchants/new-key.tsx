import { Alert, Button, Checkbox, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { Commands } from '../../ui/commands.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Copy } from '../../ui/copy.tsx';
import { useDialog } from '../../ui/use-dialog.ts';

type Scope = components['schemas']['ApiKey']['scopes'][number];

const SCOPES: readonly { readonly value: Scope; readonly label: string }[] = [
  { value: 'read', label: 'Read everything of the merchant (read)' },
  { value: 'payments:write', label: 'Create and change payment intents (payments:write)' },
  { value: 'webhooks:write', label: 'Change webhook endpoints (webhooks:write)' },
  { value: 'withdrawals:write', label: 'Order withdrawals (withdrawals:write)' },
];
const DEFAULT: readonly Scope[] = ['read', 'payments:write', 'webhooks:write'];

const DAY_MS = 86_400_000;
const ENDS = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

interface NewKeyProps {
  readonly merchant: components['schemas']['Merchant'];
  readonly onCreated: () => void;
}

/** Creates a key, and shows it once. */
export function NewKey({ merchant, onCreated }: NewKeyProps) {
  const environment = useEnvironment();
  const session = useSession();
  const { isOpen, open, close } = useDialog('new-key');
  const [scopes, setScopes] = useState<readonly Scope[]>(DEFAULT);
  const [key, setKey] = useState<string | null>(null);
  if (!may(session, environment, 'keys.create')) return null;
  const isLive = environment === 'live';
  if (isLive && merchant.verified_at === null) return <Text size="sm">Verify the merchant to create live keys.</Text>;
  const offered = isLive ? SCOPES.filter(({ value }) => value !== 'withdrawals:write') : SCOPES;
  const toggle = (value: Scope): void =>
    setScopes(scopes.includes(value) ? scopes.filter((one) => one !== value) : [...scopes, value]);
  return (
    <>
      <Button size="xs" onClick={open}>
        New key
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={`New ${environment} key`}
        confirmLabel="Create"
        onClose={close}
        onConfirm={async ({ name = '', days = '', reason = '' }) => {
          const created = await answerOf(
            api.POST('/admin/api/{environment}/merchants/{id}/keys', {
              params: { path: { environment, id: merchant.id } },
              body: {
                scopes: [...scopes],
                reason,
                ...(name !== '' && { name }),
                ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
              },
            }),
          );
          setKey(created.key);
          close();
          onCreated();
        }}
      >
        <TextInput
          name="name"
          label="Name"
          description="What it is for, such as the shop."
          maxLength={100}
          data-autofocus
        />
        <Stack gap={6} role="group" aria-label="What the key may do">
          {offered.map(({ value, label }) => (
            <Checkbox
              key={value}
              size="sm"
              label={label}
              checked={scopes.includes(value)}
              onChange={() => toggle(value)}
            />
          ))}
        </Stack>
        {isLive && (
          <div>
            <Text size="sm">
              Live keys created in the console cannot withdraw. For a key that can, an operator runs:
            </Text>
            <Commands
              commands={[
                `npx coffer key create --merchant ${merchant.id} --env live --scopes read,payments:write,withdrawals:write`,
              ]}
            />
          </div>
        )}
        <NativeSelect name="days" label="Expires" data={ENDS} />
        <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} />
      </ConfirmDialog>
      <Modal opened={key !== null} onClose={() => setKey(null)} title="The new key" closeOnClickOutside={false}>
        <Stack gap="md">
          <Alert color="yellow" variant="light">
            This key is shown only once. Send it to the merchant over a secure channel.
          </Alert>
          {key !== null && <Copy value={key} label="key" />}
          <Button onClick={() => setKey(null)}>Done</Button>
        </Stack>
      </Modal>
    </>
  );
}
