import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useDialog } from '../../ui/use-dialog.ts';

type Merchant = components['schemas']['Merchant'];

/** What applies to a merchant in both environments. */
export function MerchantActions({ merchant }: { readonly merchant: Merchant }) {
  const environment = useEnvironment();
  const session = useSession();
  const client = useQueryClient();
  const verify = useDialog('verify');
  const tolerance = useDialog('tolerance');
  const params = { path: { environment, id: merchant.id } };
  const reload = () => client.invalidateQueries({ queryKey: [environment, 'merchants'] });
  const mayVerify = may(session, environment, 'merchants.verify') && merchant.verified_at === null;
  const mayUpdate = may(session, environment, 'merchants.update');
  return (
    <>
      <Group gap="xs">
        {mayVerify && (
          <Button size="xs" variant="default" onClick={verify.open}>
            Verify merchant
          </Button>
        )}
        {mayUpdate && (
          <Button size="xs" variant="default" onClick={tolerance.open}>
            Set tolerance
          </Button>
        )}
      </Group>
      <ConfirmDialog
        isOpen={mayVerify && verify.isOpen}
        title="Verify this merchant"
        confirmLabel="Verify merchant"
        onClose={verify.close}
        onConfirm={async ({ reason = '' }) => {
          await answerOf(api.POST('/admin/api/{environment}/merchants/{id}/verify', { params, body: { reason } }));
          verify.close();
          await reload();
        }}
      >
        <Text>A verified merchant may have live keys, which move real money. You cannot undo this.</Text>
        <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={mayUpdate && tolerance.isOpen}
        title="Set the underpayment tolerance"
        confirmLabel="Set tolerance"
        onClose={tolerance.close}
        onConfirm={async ({ bps = '', reason = '' }) => {
          await answerOf(
            api.POST('/admin/api/{environment}/merchants/{id}/tolerance', {
              params,
              body: { tolerance_bps: Number(bps), reason },
            }),
          );
          tolerance.close();
          await reload();
        }}
      >
        <Text>
          An intent completes even if it is underpaid by up to this share. The tolerance applies to new intents in both
          environments.
        </Text>
        <TextInput
          name="bps"
          label="Basis points"
          description="50 are 0.5 %; 0 to 1,000."
          type="number"
          min={0}
          max={1000}
          step={1}
          defaultValue={merchant.tolerance_bps}
          required
          data-autofocus
        />
        <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} />
      </ConfirmDialog>
    </>
  );
}
