import '@mantine/core/styles/Checkbox.layer.css';
import { Alert, Checkbox, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ReasonAction } from '../../ui/reason-action.tsx';
import { showSuccess } from '../../ui/toasts.ts';
import { SigningAction } from './signing-action.tsx';

export type Withdrawal = components['schemas']['StaffWithdrawalDetail'];

/** What can be done about a withdrawal that has not ended. */
export function WithdrawalActions({ withdrawal }: { readonly withdrawal: Withdrawal }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { id, offer, frozen, network, merchant_id: merchantId, similar_destinations: similar } = withdrawal;
  const money = `${withdrawal.amount_decimal} ${withdrawal.token}`;
  const params = { path: { environment, id } };
  const reload = () => client.invalidateQueries({ queryKey: ['withdrawal', environment, id] });
  const isOpen = withdrawal.status === 'broadcasting';
  return (
    <Group gap="xs">
      {offer === 'approve' && (
        <ReasonAction
          name="approve"
          permission="withdrawals.approve"
          label="Approve"
          title="Approve this withdrawal"
          effect={
            <>
              <Text>
                {money} on {network} to {withdrawal.destination}. An open vault signs it within a second, and it cannot
                be taken back.
              </Text>
              {similar.length > 0 && <LookAlikes similar={similar} />}
            </>
          }
          {...(similar.length > 0 && {
            fields: (
              <Checkbox
                name="look_alike_checked"
                value="yes"
                required
                data-autofocus
                label="I compared every character of the destination with the address that the merchant confirmed."
              />
            ),
          })}
          isMain
          isDangerous
          onConfirm={async ({ reason = '', look_alike_checked: checked }) => {
            const { already, approved_by: by } = await answerOf(
              api.POST('/admin/api/{environment}/withdrawals/{id}/approve', {
                params,
                body: { reason, look_alike_checked: checked === 'yes' },
              }),
            );
            showSuccess(already ? `It was approved already, by ${by}` : 'The withdrawal is approved');
            await reload();
          }}
        />
      )}
      {isOpen && frozen.network !== null && (
        <SigningAction
          kind="network"
          id={network}
          name={network}
          frozenReason={frozen.network}
          isMain={offer === 'unfreeze_network'}
        />
      )}
      {isOpen && (
        <SigningAction
          kind="merchant"
          id={merchantId}
          name="the merchant"
          frozenReason={frozen.merchant}
          isMain={offer === 'unfreeze_merchant'}
        />
      )}
      {withdrawal.can_cancel && (
        <ReasonAction
          name="cancel"
          permission="withdrawals.cancel"
          label="Cancel the withdrawal"
          title="Cancel this withdrawal"
          effect={`${money} and the fee are back in the pocket at once. The merchant receives withdrawal.failed with the code cancelled.`}
          isDangerous
          onConfirm={async ({ reason = '' }) => {
            await answerOf(api.POST('/admin/api/{environment}/withdrawals/{id}/cancel', { params, body: { reason } }));
            showSuccess('The withdrawal is cancelled', 'Its money is back in the pocket.');
            await reload();
          }}
        />
      )}
    </Group>
  );
}

function LookAlikes({ similar }: { readonly similar: readonly string[] }) {
  return (
    <Alert color="yellow" variant="light" title="It looks like another destination of the merchant">
      {similar.map((address) => (
        <Text key={address} size="sm">
          {address}
        </Text>
      ))}
    </Alert>
  );
}
