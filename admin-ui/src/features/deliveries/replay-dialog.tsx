import '@mantine/core/styles/Checkbox.layer.css';
import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { FormError } from '../../session/form-error.tsx';
import { may, useSession } from '../../session/session.ts';
import { useSubmit } from '../../session/use-submit.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { TimeFilter } from '../../ui/filters.tsx';
import { Loading } from '../../ui/loading.tsx';
import { countText } from '../../ui/numbers.ts';
import { showSuccess } from '../../ui/toasts.ts';
import { type Preview, ReplayPreview } from './replay-preview.tsx';
import { sinceFault, useReplayState } from './replay-state.ts';

export type ReplayOrder = components['schemas']['PreviewReplay'];

const VERB = {
  resend: ['Resend deliveries', 'Resend'],
  recover: ['Recover deliveries', 'Recover'],
  send_missing: ['Send missing events', 'Send'],
} as const satisfies Readonly<Record<ReplayOrder['verb'], readonly [string, string]>>;

/** A row of the dead letters has one answer, and its recovery takes the whole class. */
const ANSWERED = {
  '2xx': 'that was answered 2xx',
  '3xx': 'that was answered 3xx, whatever the code',
  '4xx': 'that was answered 4xx, whatever the code: 401 as well as 404',
  '5xx': 'that was answered 5xx, whatever the code',
  none: 'that got no answer, whatever the reason: a timeout as well as a refused connection',
} as const satisfies Readonly<Record<NonNullable<ReplayOrder['response']>, string>>;

/** The most endpoints that one replay enables. */
const ENABLED_MAX = 5;

/** Shows what a replay would send, and begins it. `order` is null while the dialog is closed. */
export function ReplayDialog({ order }: { readonly order: ReplayOrder | null }) {
  const { name, close } = useReplayState();
  const title = name === 'preview' ? 'What a replay would send' : VERB[order?.verb ?? 'recover'][0];
  return (
    <Modal opened={order !== null} onClose={close} title={title} size="lg">
      {order !== null && <ReplayForm order={order} />}
    </Modal>
  );
}

/** What is sent since the time in the address. A selection, and a resend of a filter, have no other time than their own. */
function orderSince(order: ReplayOrder, since: string | undefined): { order: ReplayOrder; takesSince: boolean } {
  if (order.delivery_ids !== undefined || order.verb === 'resend') return { order, takesSince: false };
  const { created_gte: _replaced, ...rest } = order;
  return { order: { ...rest, ...(since !== undefined && { created_gte: since }) }, takesSince: true };
}

function ReplayForm({ order: given }: { readonly order: ReplayOrder }) {
  const environment = useEnvironment();
  const session = useSession();
  const state = useReplayState();
  const { order, takesSince } = orderSince(given, state.since);
  const fault = takesSince ? sinceFault(state.since, order.verb === 'send_missing') : null;
  const preview = useQuery({
    queryKey: [environment, 'replay-preview', order],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/admin/api/{environment}/replay-jobs/preview', {
          params: { path: { environment } },
          body: order,
          signal,
        }),
      ),
    enabled: fault === null,
    gcTime: 0,
  });
  const data = fault === null ? preview.data : undefined;
  const [beganAsPreview] = useState(state.name === 'preview');
  const canGoOn =
    may(session, environment, 'deliveries.replay') &&
    ((data?.sendable ?? 0) > 0 || (may(session, environment, 'endpoints.enable') && (data?.blocked ?? 0) > 0));
  return (
    <Stack gap="md">
      {order.verb === 'recover' && order.response !== undefined && order.response !== null && (
        <Text size="sm">Includes every dead letter {ANSWERED[order.response]}.</Text>
      )}
      {takesSince && (
        <TimeFilter
          label="Since"
          value={state.since}
          onChange={(since) => state.change({ since })}
          description={
            order.verb === 'send_missing'
              ? 'Events created at this time or later.'
              : 'Leave empty to include deliveries of any age.'
          }
          error={fault}
        />
      )}
      {preview.error !== null && fault === null && (
        <ErrorState error={asApiError(preview.error)} onRetry={() => void preview.refetch()} />
      )}
      {data === undefined ? fault === null && preview.error === null && <Loading /> : <ReplayPreview preview={data} />}
      {state.name !== 'preview' ? (
        <ReplayActions order={order} preview={data} takesFocus={beganAsPreview} />
      ) : (
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={state.close}>
            Close
          </Button>
          {canGoOn && <Button onClick={() => state.change({ dialog: 'recover' })}>Go on to recover</Button>}
        </Group>
      )}
    </Stack>
  );
}

interface ReplayActionsProps {
  readonly order: ReplayOrder;
  /** Undefined while it is counted. A replay can begin only once its count is shown. */
  readonly preview: Preview | undefined;
  /** Puts the focus into its field: what has opened it is gone. A dialog does so by itself only when it opens. */
  readonly takesFocus: boolean;
}

/** The reason, and the button that begins the replay. */
function ReplayActions({ order, preview, takesFocus }: ReplayActionsProps) {
  const environment = useEnvironment();
  const session = useSession();
  const navigate = useNavigate();
  const { close } = useReplayState();
  const [chosen, setChosen] = useState<boolean | null>(null);
  const disabled = preview?.endpoints.filter(({ enabled }) => !enabled) ?? [];
  const mayEnable =
    disabled.length > 0 && disabled.length <= ENABLED_MAX && may(session, environment, 'endpoints.enable');
  const enables = mayEnable && (chosen ?? preview?.sendable === 0);
  const { isSending, error, onSubmit } = useSubmit(async ({ reason = '' }) => {
    if (enables) {
      for (const { id } of disabled) {
        const body = { reason: reason === '' ? 'Enabled to send its deliveries again.' : reason };
        await answerOf(
          api.POST('/admin/api/{environment}/endpoints/{id}/enable', { params: { path: { environment, id } }, body }),
        );
      }
    }
    const body = { ...order, ...(reason !== '' && { reason }) };
    const begun = await answerOf(
      api.POST('/admin/api/{environment}/replay-jobs', { params: { path: { environment } }, body }),
    );
    if (begun.already_running) showSuccess('This replay is already running', 'This page shows its progress.');
    void navigate({
      to: '/$environment/replay-jobs/$id',
      params: { environment, id: begun.replay_job_id },
      search: {},
    });
  });
  const total = preview === undefined ? 0 : preview.sendable + (enables ? preview.blocked : 0);
  const [, verb] = VERB[order.verb];
  const count = countText(total, preview?.count_is_more === true);
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        {mayEnable && (
          <Checkbox
            checked={enables}
            onChange={({ currentTarget }) => setChosen(currentTarget.checked)}
            label={
              disabled.length === 1 ? 'Enable the disabled endpoint' : `Enable ${disabled.length} disabled endpoints`
            }
            description="All deliveries that are held for it are then sent too, whatever the filter."
          />
        )}
        <TextInput
          autoFocus={takesFocus}
          name="reason"
          label="Reason, for the audit log"
          maxLength={500}
          data-autofocus
        />
        <FormError error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending} disabled={total === 0}>
            {enables ? `Enable and ${verb.toLowerCase()} ${count}` : `${verb} ${count}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
