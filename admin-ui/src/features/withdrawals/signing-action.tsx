import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ReasonAction } from '../../ui/reason-action.tsx';
import { showSuccess } from '../../ui/toasts.ts';

interface SigningActionProps {
  readonly kind: 'network' | 'merchant';
  readonly id: string;
  readonly name: string;
  readonly frozenReason: string | null;
  /** The action that the page offers first. */
  readonly isMain?: boolean;
  /** Whether the button stands beside the name. */
  readonly isNamed?: boolean;
}

/** What a freeze stops. Refunds are still signed while their merchant is frozen. */
const SIGNED = { network: 'payment', merchant: 'withdrawal' } as const;

/** Freezes or unfreezes the signing of a network or of a merchant. */
export function SigningAction({ kind, id, name, frozenReason, isMain = false, isNamed = false }: SigningActionProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const params = { path: { environment } };
  const reload = () =>
    Promise.all(
      ['signing', 'withdrawal', 'withdrawals'].map((list) =>
        client.invalidateQueries({ queryKey: [list, environment] }),
      ),
    );
  if (frozenReason === null) {
    return (
      <ReasonAction
        name={`freeze-${kind}-${id}`}
        permission="signing.freeze"
        label={`Freeze signing for ${name}`}
        {...(isNamed && { verb: 'Freeze' })}
        title={`Freeze signing for ${name}`}
        effect={`No ${SIGNED[kind]} is signed for it until an administrator unfreezes signing. New withdrawals are accepted and wait. Payments that are already signed are still sent.`}
        isDangerous
        onConfirm={async ({ reason = '' }) => {
          const { before } = await answerOf(
            api.POST('/admin/api/{environment}/signing/freeze', { params, body: { kind, id, reason } }),
          );
          showSuccess(`Signing is frozen for ${name}`, before === null ? '' : `It was already frozen: ${before}`);
          await reload();
        }}
      />
    );
  }
  return (
    <ReasonAction
      name={`unfreeze-${kind}-${id}`}
      permission="signing.unfreeze"
      label={`Unfreeze signing for ${name}`}
      {...(isNamed && { verb: 'Unfreeze' })}
      title={`Unfreeze signing for ${name}`}
      effect={
        <>
          <Text>Reason for the freeze: {frozenReason}</Text>
          <Text>Waiting payments are signed within seconds, the oldest first.</Text>
        </>
      }
      isMain={isMain}
      isDangerous
      onConfirm={async ({ reason = '' }) => {
        await answerOf(
          api.POST('/admin/api/{environment}/signing/unfreeze', {
            params,
            body: { kind, id, frozen_reason: frozenReason, reason },
          }),
        );
        showSuccess(`Signing is unfrozen for ${name}`);
        await reload();
      }}
    />
  );
}
