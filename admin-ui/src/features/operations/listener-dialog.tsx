import { Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useDialog } from '../../ui/use-dialog.ts';

const VERB = {
  pause: {
    label: 'Pause',
    effect:
      'Coffer stops reading this chain and assigns no addresses on it. Its intents do not expire. Withdrawals are still sent, but become final only after you resume. Payments that arrive during the pause are recorded after you resume.',
  },
  resume: {
    label: 'Resume',
    effect: 'Reading continues at the block where it stopped. Payments that arrived during the pause are recorded.',
  },
} as const;

interface ListenerDialogProps {
  readonly verb: keyof typeof VERB;
  readonly network: string;
}

/** Pauses or resumes the listener of a network. */
export function ListenerDialog({ verb, network }: ListenerDialogProps) {
  const environment = useEnvironment();
  const session = useSession();
  const client = useQueryClient();
  const { isOpen, close } = useDialog(`${verb}-${network}`);
  const { label, effect } = VERB[verb];
  const params = { path: { environment, network } };
  return (
    <ConfirmDialog
      isOpen={isOpen && may(session, environment, `networks.${verb}`)}
      title={`${label} the listener of ${network}`}
      confirmLabel={label}
      isDangerous={verb === 'pause'}
      onClose={close}
      onConfirm={async ({ reason = '' }) => {
        await answerOf(api.POST(`/admin/api/{environment}/networks/{network}/${verb}`, { params, body: { reason } }));
        close();
        await client.invalidateQueries({ queryKey: [environment, 'networks'] });
      }}
    >
      <Text>{effect}</Text>
      <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
    </ConfirmDialog>
  );
}
