import { Group, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ReasonAction } from '../../ui/reason-action.tsx';
import { showSuccess } from '../../ui/toasts.ts';

export type Deposit = components['schemas']['StaffDeposit'];

/** What staff can decide about a deposit. */
export function DepositActions({ deposit }: { readonly deposit: Deposit }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { id, offers, network, merchant_id: ownerId, merchant_name: owner, payment_intent_id: intentId } = deposit;
  const money = `${deposit.amount_decimal} ${deposit.token} on ${network}`;
  const params = { path: { environment, id } };
  const show = (after: Deposit, title: string): void => {
    client.setQueryData(['deposit', environment, id], after);
    showSuccess(title, after.sentence);
    void client.invalidateQueries({ queryKey: ['decisions', environment] });
  };
  return (
    <Group gap="xs">
      {offers.includes('credit') && (
        <ReasonAction
          name="credit"
          permission="deposits.credit"
          label="Credit the merchant"
          title="Credit this deposit to a merchant"
          effect={
            ownerId === null
              ? `${money} is booked to the merchant's pocket in this token. It cannot be undone.`
              : `${money} is booked to the pocket of ${owner ?? ownerId}, to whom its address was given. It cannot be undone.`
          }
          {...(ownerId === null && {
            fields: <TextInput name="merchant_id" label="Merchant id" placeholder="mer_..." required data-autofocus />,
          })}
          isMain
          isDangerous
          onConfirm={async ({ reason = '', merchant_id: given }) => {
            const body = { merchant_id: given ?? ownerId ?? '', reason };
            show(
              await answerOf(api.POST('/admin/api/{environment}/deposits/{id}/credit', { params, body })),
              'The deposit is credited',
            );
          }}
        />
      )}
      {offers.includes('refund') && (
        <ReasonAction
          name="refund"
          permission="deposits.refund"
          label="Refund to an address"
          title="Refund this deposit"
          effect={
            <>
              <Text>
                The hot wallet sends {money}, and we pay the network fee. An open vault signs it within a second, and it
                cannot be taken back.
              </Text>
              <Text size="sm">
                Ask the payer for an address: exchanges do not credit what is sent back to the address that they paid
                from.
              </Text>
            </>
          }
          fields={
            <TextInput
              name="address"
              label={`Address on ${network}`}
              required
              maxLength={128}
              spellCheck={false}
              autoComplete="off"
              data-autofocus
            />
          }
          isDangerous
          onConfirm={async ({ reason = '', address = '' }) => {
            const body = { address: address.trim(), reason };
            show(
              await answerOf(api.POST('/admin/api/{environment}/deposits/{id}/refund', { params, body })),
              'The refund is ordered',
            );
          }}
        />
      )}
      {offers.includes('release') && (
        <ReasonAction
          name="release"
          permission="deposits.release"
          label="Release"
          title="Release this deposit"
          effect={
            intentId === null
              ? `${money} goes to suspense, where it can be credited or refunded. It cannot be undone.`
              : `${money} goes to the pocket of ${owner ?? 'the merchant'}. An open intent counts it, and may complete. It cannot be undone.`
          }
          isDangerous
          onConfirm={async ({ reason = '' }) =>
            show(
              await answerOf(api.POST('/admin/api/{environment}/deposits/{id}/release', { params, body: { reason } })),
              'The deposit is released',
            )
          }
        />
      )}
      {offers.includes('keep') && (
        <ReasonAction
          name="keep"
          permission="deposits.keep"
          label="Keep on hold"
          title="Keep this deposit on hold"
          effect="It stays on hold, and its intent no longer waits for it. An administrator can still release it."
          onConfirm={async ({ reason = '' }) =>
            show(
              await answerOf(api.POST('/admin/api/{environment}/deposits/{id}/keep', { params, body: { reason } })),
              'The deposit is kept on hold',
            )
          }
        />
      )}
      {offers.includes('cancel_refund') && (
        <ReasonAction
          name="cancel-refund"
          permission="refunds.cancel"
          label="Cancel the refund"
          title="Cancel this refund"
          effect="It was never signed. The deposit is in suspense again at once."
          isDangerous
          onConfirm={async ({ reason = '' }) =>
            show(
              await answerOf(
                api.POST('/admin/api/{environment}/deposits/{id}/cancel-refund', { params, body: { reason } }),
              ),
              'The refund is cancelled',
            )
          }
        />
      )}
    </Group>
  );
}
