import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { TightenProps } from './tighten-dialog.tsx';

/** Limits what leaves a pocket. The service refuses an amount that is not less than now. */
export function TightenPocketDialog({ policy, isOpen, onClose }: TightenProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { merchant_id: id } = policy;
  const pockets = useQuery({
    queryKey: ['pockets', environment, 'of', id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/pockets', {
          params: { path: { environment }, query: { merchant_id: id, limit: 100 } },
          signal,
        }),
      ),
    enabled: isOpen,
  });
  const options = (pockets.data?.data ?? []).map(({ id: value, token, network }) => ({
    value,
    label: `${token} on ${network}`,
  }));
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Limit a pocket"
      confirmLabel="Limit"
      onClose={onClose}
      onConfirm={async ({ pocket_id: pocketId = '', daily = '', unapproved = '', reason = '' }) => {
        const body = {
          pocket_id: pocketId,
          reason,
          ...(daily !== '' && { daily_amount: daily }),
          ...(unapproved !== '' && { unapproved_amount: unapproved }),
        };
        const params = { path: { environment, id } };
        await answerOf(api.POST('/admin/api/{environment}/merchants/{id}/policy/tighten-pocket', { params, body }));
        onClose();
        await client.invalidateQueries({ queryKey: [environment, 'merchants'] });
      }}
    >
      <Text>Enter amounts in whole tokens, such as 1000.50. A new limit must be lower than the present one.</Text>
      <NativeSelect name="pocket_id" label="Pocket" data={options} required data-autofocus />
      <TextInput name="daily" label="Maximum paid out in 24 hours" inputMode="decimal" />
      <TextInput name="unapproved" label="Require an approval above" inputMode="decimal" />
      <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} />
    </ConfirmDialog>
  );
}
