import '@mantine/core/styles/List.css';
import { Alert, Button, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { FormError } from '../../session/form-error.tsx';
import { may, useSession } from '../../session/session.ts';
import { useSubmit } from '../../session/use-submit.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { showSuccess } from '../../ui/toasts.ts';

export type ReplayOrder = components['schemas']['PreviewReplay'];
type Preview = components['schemas']['ReplayPreview'];

const VERB = {
  resend: ['Resend deliveries', 'Resend'],
  recover: ['Recover deliveries', 'Replay'],
  send_missing: ['Send missing events', 'Send'],
} as const satisfies Readonly<Record<ReplayOrder['verb'], readonly [string, string]>>;

const WARNING: Readonly<Record<Preview['warnings'][number], string>> = {
  nothing_to_send: 'Nothing will be sent.',
  endpoint_disabled: 'A disabled endpoint gets nothing. Enable it to send what waits for it.',
  probably_wrong_secret:
    'The receiver has refused many of these as unauthorized. Send a test first: probably its secret is wrong.',
  sends_delivered_again: 'Some were delivered already. The receiver gets them once more, with the same event id.',
};

interface ReplayDialogProps {
  readonly isOpen: boolean;
  readonly order: ReplayOrder;
  readonly onClose: () => void;
}

/** Shows what a replay would send, and begins it. */
export function ReplayDialog({ isOpen, order, onClose }: ReplayDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={VERB[order.verb][0]} size="lg">
      <ReplayForm order={order} onClose={onClose} />
    </Modal>
  );
}

function ReplayForm({ order, onClose }: Omit<ReplayDialogProps, 'isOpen'>) {
  const environment = useEnvironment();
  const session = useSession();
  const navigate = useNavigate();
  const preview = useQuery({
    queryKey: [environment, 'replay-preview', order],
    queryFn: () =>
      answerOf(
        api.POST('/admin/api/{environment}/replay-jobs/preview', { params: { path: { environment } }, body: order }),
      ),
    gcTime: 0,
  });
  const disabled = preview.data?.endpoints.filter(({ enabled }) => !enabled) ?? [];
  const enables = disabled.length > 0 && disabled.length <= 5 && may(session, environment, 'endpoints.enable');
  const { isSending, error, onSubmit } = useSubmit(async ({ reason = '' }) => {
    if (enables) {
      for (const { id } of disabled) {
        const body = { reason: reason === '' ? 'Enabled to replay its deliveries.' : reason };
        await answerOf(
          api.POST('/admin/api/{environment}/endpoints/{id}/enable', { params: { path: { environment, id } }, body }),
        );
      }
    }
    const body = { ...order, ...(reason !== '' && { reason }) };
    const begun = await answerOf(
      api.POST('/admin/api/{environment}/replay-jobs', { params: { path: { environment } }, body }),
    );
    if (begun.already_running) showSuccess('This replay is running already', 'Here is how far it has come.');
    void navigate({
      to: '/$environment/replay-jobs/$id',
      params: { environment, id: begun.replay_job_id },
    });
  });
  const { data } = preview;
  const total = data === undefined ? 0 : data.sendable + (enables ? data.blocked : 0);
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        {preview.error !== null && (
          <ErrorState error={asApiError(preview.error)} onRetry={() => void preview.refetch()} />
        )}
        {data === undefined ? preview.error === null && <Loading /> : <PreviewText preview={data} />}
        <TextInput name="reason" label="Reason, for the audit log" maxLength={500} data-autofocus />
        <FormError error={error} />
        <Button.Group style={{ justifyContent: 'flex-end' }}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending} disabled={total === 0}>
            {enables ? 'Enable and replay' : `${VERB[order.verb][1]} ${countText(total, data?.count_is_more === true)}`}
          </Button>
        </Button.Group>
      </Stack>
    </form>
  );
}

function PreviewText({ preview }: { readonly preview: Preview }) {
  const { sendable, blocked, count_is_more: isMore, warnings, endpoints } = preview;
  return (
    <Stack gap="sm">
      <Text>
        <strong>{countText(sendable, isMore)}</strong> {sendable === 1 ? 'delivery' : 'deliveries'} will be sent
        {endpoints.length > 0 && `, to ${endpoints.length} ${endpoints.length === 1 ? 'endpoint' : 'endpoints'}`}, at
        most 20 at a time to each.
        {blocked > 0 && ` ${countText(blocked, isMore)} wait for a disabled endpoint.`}
      </Text>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="light">
          {WARNING[warning]}
        </Alert>
      ))}
      <List size="sm" spacing={4}>
        {endpoints.slice(0, 8).map(({ id, url, merchant_name: merchant, count, cause, enabled }) => (
          <List.Item key={id}>
            <ForeignText value={url} max={80} /> (<ForeignText value={merchant} max={40} />
            ): {countText(count, false)}
            {cause !== null && `, ${cause}`}
            {!enabled && ', disabled'}
          </List.Item>
        ))}
      </List>
      {endpoints.length > 8 && <Text size="sm">and {endpoints.length - 8} more.</Text>}
    </Stack>
  );
}

/** `1,234`, or `10,000+` when counting has stopped. */
export const countText = (count: number, isMore: boolean): string =>
  `${count.toLocaleString('en')}${isMore ? '+' : ''}`;
