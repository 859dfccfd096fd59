import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ReasonAction } from '../../ui/reason-action.tsx';
import { showSuccess } from '../../ui/toasts.ts';

/** Settles an intent again whose settlement is quarantined. */
export function RetrySettlement({
  intentId,
  isMain = false,
}: {
  readonly intentId: string;
  readonly isMain?: boolean;
}) {
  const environment = useEnvironment();
  const client = useQueryClient();
  return (
    <ReasonAction
      name={`retry-${intentId}`}
      permission="intents.retry"
      label="Settle again"
      title="Settle this payment intent again"
      effect="A worker tries again within seconds. Mend the cause first."
      isMain={isMain}
      onConfirm={async ({ reason = '' }) => {
        const params = { path: { environment, id: intentId } };
        await answerOf(api.POST('/admin/api/{environment}/intents/{id}/retry', { params, body: { reason } }));
        showSuccess('It is settled again within seconds');
        await Promise.all([
          client.invalidateQueries({ queryKey: ['intent', environment, intentId] }),
          client.invalidateQueries({ queryKey: ['decisions', environment] }),
        ]);
      }}
    />
  );
}
