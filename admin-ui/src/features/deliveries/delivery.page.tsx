import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Copy } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { Json } from '../../ui/json.tsx';
import { Loading } from '../../ui/loading.tsx';
import { MerchantLink } from '../../ui/merchant-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortId } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';
import { showSuccess } from '../../ui/toasts.ts';
import { useDialog } from '../../ui/use-dialog.ts';
import { Attempts } from './attempts.tsx';
import { DeliveryStatus } from './delivery-status.tsx';

type Detail = components['schemas']['DeliveryDetail'];

/** One delivery: its event, its endpoint, every attempt of every series. */
export function DeliveryPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('deliveries', 'endpoints');
  const delivery = useQuery({
    queryKey: [environment, 'deliveries', id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/deliveries/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (delivery.data === undefined) {
    return (
      <Page title="Delivery">
        {delivery.error === null ? (
          <Loading />
        ) : (
          <ErrorState error={asApiError(delivery.error)} onRetry={() => void delivery.refetch()} />
        )}
      </Page>
    );
  }
  return <DeliveryView delivery={delivery.data} />;
}

function DeliveryView({ delivery }: { readonly delivery: Detail }) {
  const environment = useEnvironment();
  const session = useSession();
  const dialog = useDialog('resend');
  const isOffered =
    may(session, environment, 'deliveries.replay') && !delivery.superseded && !delivery.endpoint_deleted;
  const latest = delivery.all_series[0];
  return (
    <Page
      title={`Delivery ${delivery.id}`}
      heading={delivery.event_type}
      actions={isOffered && <Button onClick={dialog.open}>Resend</Button>}
    >
      {delivery.superseded && latest !== undefined && (
        <Alert color="blue" variant="light">
          A later series has taken the place of this one.{' '}
          <Link to={'/$environment/deliveries/$id'} params={{ environment, id: latest.delivery_id }}>
            Open series {latest.number}
          </Link>
        </Alert>
      )}
      <Panel title="Delivery">
        <Facts
          facts={[
            { label: 'Status', value: <DeliveryStatus status={delivery.status} attempts={delivery.attempt_count} /> },
            { label: 'Last answer', value: delivery.last_cause ?? delivery.last_response_status },
            { label: 'Attempts', value: `${delivery.attempt_count} of 6, series ${delivery.series}` },
            {
              label: 'Next attempt',
              value: delivery.next_attempt_at === null ? null : <Time at={delivery.next_attempt_at} />,
            },
            {
              label: 'Endpoint',
              value: (
                <Link to={'/$environment/endpoints/$id'} params={{ environment, id: delivery.endpoint_id }}>
                  <ForeignText value={delivery.endpoint_url} max={120} />
                </Link>
              ),
            },
            {
              label: 'Merchant',
              value: <MerchantLink environment={environment} id={delivery.merchant_id} name={delivery.merchant_name} />,
            },
            { label: 'About', value: <Resource id={delivery.resource_id} environment={environment} /> },
            {
              label: 'Event',
              value: <Copy value={delivery.event_id} label="event id" shown={shortId(delivery.event_id)} />,
            },
            { label: 'Delivery', value: <Copy value={delivery.id} label="delivery id" shown={shortId(delivery.id)} /> },
            { label: 'Created', value: <Time at={delivery.created_at} /> },
          ]}
        />
      </Panel>
      <Attempts delivery={delivery} environment={environment} />
      <Panel title="Event">
        {delivery.body === null ? (
          <Text>The event has no body yet.</Text>
        ) : (
          <Json value={delivery.body} label="the event" />
        )}
      </Panel>
      <ResendDialog delivery={delivery} isOpen={isOffered && dialog.isOpen} onClose={dialog.close} />
    </Page>
  );
}

interface ResendDialogProps {
  readonly delivery: Detail;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ResendDialog({ delivery, isOpen, onClose }: ResendDialogProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const navigate = useNavigate();
  const resend = async ({ reason = '' }: Readonly<Record<string, string>>): Promise<void> => {
    const body = reason === '' ? {} : { reason };
    const sent = await answerOf(
      api.POST('/admin/api/{environment}/deliveries/{id}/resend', {
        params: { path: { environment, id: delivery.id } },
        body,
      }),
    );
    await client.invalidateQueries({ queryKey: [environment, 'deliveries'] });
    showSuccess('The delivery is on its way');
    void navigate({
      to: '/$environment/deliveries/$id',
      params: { environment, id: sent.delivery_id },
      search: {},
    });
  };
  const isDelivered = delivery.status === 'delivered';
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={isDelivered ? 'Resend a delivered event' : 'Resend this delivery'}
      confirmLabel="Resend"
      onConfirm={resend}
      onClose={onClose}
    >
      <Stack gap="sm">
        {isDelivered && (
          <Alert color="yellow" variant="light">
            The receiver has acknowledged this event. It gets it once more, with the same event id.
          </Alert>
        )}
        {!delivery.endpoint_enabled && (
          <Alert color="yellow" variant="light">
            The endpoint is disabled: the delivery waits until it is enabled.
          </Alert>
        )}
        <Text>
          The same event gets a new signature and is sent to <ForeignText value={delivery.endpoint_url} max={120} />.
        </Text>
        <TextInput name="reason" label="Reason, for the audit log" maxLength={500} data-autofocus />
      </Stack>
    </ConfirmDialog>
  );
}

/** Pages of what events are about, by the prefix of the id. */
const PLACES: Readonly<Record<string, string>> = { pi_: 'intents', wd_: 'withdrawals', we_: 'endpoints' };

/** What the event of a delivery is about: a link to its page, or its id where it has none. */
function Resource({ id, environment }: { readonly id: string; readonly environment: string }) {
  const place = PLACES[id.slice(0, 3)];
  if (place === undefined) return <Copy value={id} label="resource id" shown={shortId(id)} />;
  return <IdLink to={`/${environment}/${place}/${id}`} id={id} />;
}
