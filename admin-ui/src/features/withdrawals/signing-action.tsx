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
}

/** Freezes or unfreezes the signing of a network or of a merchant. */
export function SigningAction({ kind, id, name, frozenReason, isMain = false }: SigningActionProps) {
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
        label={`Freeze ${name}`}
        title={`Stop signing for ${name}`}
        effect="Nothing more is signed there. Withdrawals are still accepted, and wait. What is signed already is still sent. An administrator can undo it."
        isDangerous
        onConfirm={async ({ reason = '' }) => {
          const { before } = await answerOf(
            api.POST('/admin/api/{environment}/signing/freeze', { params, body: { kind, id, reason } }),
          );
          showSuccess(`${name} is frozen`, before === null ? '' : `It was frozen before: ${before}`);
          await reload();
        }}
      />
    );
  }
  return (
    <ReasonAction
      name={`unfreeze-${kind}-${id}`}
      permission="signing.unfreeze"
      label={`Unfreeze ${name}`}
      title={`Sign again for ${name}`}
      effect={
        <>
          <Text>It is frozen for: {frozenReason}</Text>
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
        showSuccess(`${name} signs again`);
        await reload();
      }}
    />
  );
}
