import { Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useDialog } from '../../ui/use-dialog.ts';

const VERB = {
  enable: {
    label: 'Enable',
    effect: 'Its held deliveries are sent now. To send the events it missed while disabled, use "Send missing events".',
  },
  disable: {
    label: 'Disable',
    effect:
      'Its deliveries are held until it is enabled again. Events that occur while it is disabled are not sent to it later.',
  },
} as const;

interface SwitchDialogProps {
  readonly verb: keyof typeof VERB;
  readonly endpointId: string;
}

/** Enables or disables an endpoint. There is one for each verb: what another member does meanwhile changes no dialog. */
export function SwitchDialog({ verb, endpointId }: SwitchDialogProps) {
  const environment = useEnvironment();
  const session = useSession();
  const client = useQueryClient();
  const { isOpen, close } = useDialog(verb);
  const { label, effect } = VERB[verb];
  const params = { path: { environment, id: endpointId } };
  return (
    <ConfirmDialog
      isOpen={isOpen && may(session, environment, `endpoints.${verb}`)}
      title={`${label} this endpoint`}
      confirmLabel={label}
      isDangerous={verb === 'disable'}
      onClose={close}
      onConfirm={async ({ reason = '' }) => {
        await answerOf(api.POST(`/admin/api/{environment}/endpoints/{id}/${verb}`, { params, body: { reason } }));
        close();
        await client.invalidateQueries({ queryKey: [environment, 'endpoints'] });
      }}
    >
      <Text>{effect}</Text>
      <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
    </ConfirmDialog>
  );
}
