import { Button, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Copy } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';

/** The allow-list. An address can leave it here, and gets onto it in a shell. */
export function AllowedDestinations({ policy }: { readonly policy: components['schemas']['WithdrawalPolicy'] }) {
  const environment = useEnvironment();
  const session = useSession();
  const client = useQueryClient();
  const [removed, setRemoved] = useState<string | null>(null);
  if (policy.allowed.length === 0) return null;
  const mayRemove = may(session, environment, 'policies.tighten');
  return (
    <>
      <DataTable
        label="Allowed destinations"
        rows={policy.allowed.map((address) => ({ id: address }))}
        empty={{ title: 'No address is allowed', hint: 'A shell adds one.' }}
        columns={[
          {
            key: 'address',
            header: policy.allow_list_only ? 'Allow-list' : 'Allow-list, not in force',
            cell: ({ id }) => <Copy value={id} label="address" />,
          },
          ...(mayRemove
            ? [
                {
                  key: 'remove',
                  header: 'Action',
                  cell: ({ id }: { readonly id: string }) => (
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => setRemoved(id)}
                      aria-label={`Remove ${id}`}
                    >
                      Remove
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      <ConfirmDialog
        isOpen={removed !== null}
        title="Remove from the allow-list"
        confirmLabel="Remove"
        isDangerous
        onClose={() => setRemoved(null)}
        onConfirm={async ({ reason = '' }) => {
          const params = { path: { environment, id: policy.merchant_id } };
          const body = { address: removed ?? '', reason };
          await answerOf(api.POST('/admin/api/{environment}/merchants/{id}/policy/disallow', { params, body }));
          setRemoved(null);
          await client.invalidateQueries({ queryKey: [environment, 'merchants'] });
        }}
      >
        <Text style={{ overflowWrap: 'anywhere' }}>
          If only the allow-list is paid, no withdrawal to {removed} is signed any more. To add the address again, an
          operator runs npx coffer policy allow.
        </Text>
        <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
      </ConfirmDialog>
    </>
  );
}
