import { Checkbox, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

export interface TightenProps {
  readonly policy: components['schemas']['WithdrawalPolicy'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes the rules of a merchant stricter. The service refuses what is not. */
export function TightenDialog({ policy, isOpen, onClose }: TightenProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { daily_count: count, new_destination_hours: hours } = policy;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Tighten the withdrawal rules"
      confirmLabel="Tighten"
      onClose={onClose}
      onConfirm={async (fields) => {
        const { daily_count: dailyCount = '', hours: more = '', list = '', reason = '' } = fields;
        const body = {
          reason,
          ...(dailyCount !== '' && { daily_count: Number(dailyCount) }),
          ...(more !== '' && { new_destination_hours: Number(more) }),
          ...(list !== '' && { allow_list_only: true as const }),
        };
        const params = { path: { environment, id: policy.merchant_id } };
        await answerOf(api.POST('/admin/api/{environment}/merchants/{id}/policy/tighten', { params, body }));
        onClose();
        await client.invalidateQueries({ queryKey: [environment, 'merchants'] });
      }}
    >
      <Text>A withdrawal that breaks a rule waits until the rule allows it. Empty fields change nothing.</Text>
      <TextInput
        name="daily_count"
        type="number"
        min={0}
        step={1}
        label="Maximum withdrawals in 24 hours"
        description={count === null ? 'No limit now.' : `${count} now; fewer are stricter.`}
        data-autofocus
      />
      <TextInput
        name="hours"
        type="number"
        min={1}
        max={8760}
        step={1}
        label="Hours that a new destination waits"
        description={hours === null ? 'None now.' : `${hours} now; more are stricter.`}
      />
      {!policy.allow_list_only && (
        <Checkbox
          name="list"
          size="sm"
          label="Pay only to the allow-list"
          description={`It has ${policy.allowed.length} ${policy.allowed.length === 1 ? 'address' : 'addresses'}.`}
        />
      )}
      <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} />
    </ConfirmDialog>
  );
}
