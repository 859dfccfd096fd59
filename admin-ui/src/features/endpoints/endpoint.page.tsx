import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { Copy } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Time } from '../../ui/time.tsx';
import { ReplayDialog } from '../deliveries/replay-dialog.tsx';
import { lastDay, minuteOf, useReplayState } from '../deliveries/replay-state.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointStatus } from './endpoint-status.tsx';
import { SignatureChecker } from './signature-checker.tsx';

type Detail = components['schemas']['EndpointDetail'];

/** One webhook endpoint: how it does, what can be done, and why a signature fails. */
export function EndpointPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('endpoints', 'deliveries');
  const endpoint = useQuery({
    queryKey: [environment, 'endpoints', id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/endpoints/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (endpoint.data !== undefined) return <EndpointView key={endpoint.data.id} endpoint={endpoint.data} />;
  return (
    <Page title="Endpoint">
      {endpoint.error === null ? (
        <Loading />
      ) : (
        <ErrorState error={asApiError(endpoint.error)} onRetry={() => void endpoint.refetch()} />
      )}
    </Page>
  );
}

function EndpointView({ endpoint }: { readonly endpoint: Detail }) {
  const environment = useEnvironment();
  return (
    <Page
      title={`Endpoint ${endpoint.id}`}
      heading={<ForeignText value={endpoint.url} max={120} />}
      summary={
        <PlaceLink to={`/${environment}/merchants/${endpoint.merchant_id}`}>
          <ForeignText value={endpoint.merchant_name} max={100} />
        </PlaceLink>
      }
    >
      <Panel title="Status" actions={<EndpointActions endpoint={endpoint} />}>
        <Facts
          facts={[
            { label: 'Status', value: <EndpointStatus endpoint={endpoint} /> },
            {
              label: 'Failing since',
              value: endpoint.failing_since === null ? null : <Time at={endpoint.failing_since} />,
            },
            {
              label: 'Last success',
              value: endpoint.last_success_at === null ? 'never' : <Time at={endpoint.last_success_at} />,
            },
            { label: 'Last 24 hours', value: rateText(endpoint) },
            {
              label: 'Dead letters',
              value: (
                <Link
                  to={'/$environment/deliveries'}
                  params={{ environment }}
                  search={{ endpoint_id: endpoint.id, status: 'dead_letter' }}
                >
                  {wholeText(endpoint.dead_letters)}
                </Link>
              ),
            },
            {
              label: 'Events',
              value: endpoint.event_types.includes('*') ? 'All types' : endpoint.event_types.join(', '),
            },
            {
              label: 'Old secret signs until',
              value:
                endpoint.previous_secret_expires_at === null ? null : <Time at={endpoint.previous_secret_expires_at} />,
            },
            { label: 'Endpoint', value: <Copy value={endpoint.id} label="endpoint id" /> },
            {
              label: 'Note of the merchant',
              value: endpoint.description === null ? null : <ForeignText value={endpoint.description} />,
            },
          ]}
        />
      </Panel>
      <SendAgain endpoint={endpoint} />
      <SignatureChecker id={endpoint.id} />
    </Page>
  );
}

function rateText({ last_24_hours: { delivered, dead_lettered: dead, retrying } }: Detail): string {
  const all = delivered + dead + retrying;
  if (all === 0) return 'No deliveries';
  const failed = dead + retrying === 0 ? '' : `: ${wholeText(dead)} dead-lettered, ${wholeText(retrying)} retrying`;
  return `${((delivered / all) * 100).toFixed(1)} % of ${wholeText(all)} delivered${failed}`;
}

function SendAgain({ endpoint }: { readonly endpoint: Detail }) {
  const environment = useEnvironment();
  const session = useSession();
  const { name, open } = useReplayState();
  const verb = name === 'recover' || name === 'send_missing' ? name : null;
  if (!may(session, environment, 'deliveries.replay')) return null;
  return (
    <Panel
      title="Send again"
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            onClick={() =>
              open('recover', { since: endpoint.dead_since === null ? lastDay() : minuteOf(endpoint.dead_since) })
            }
          >
            Recover failed and waiting deliveries
          </Button>
          <Button size="xs" variant="default" onClick={() => open('send_missing', { since: lastDay() })}>
            Send missing events
          </Button>
        </Group>
      }
    >
      <p>
        Missing events occurred before the endpoint was created, while it was disabled, or before it subscribed to their
        type.
      </p>
      <ReplayDialog order={verb === null ? null : { verb, endpoint_id: endpoint.id }} />
    </Panel>
  );
}
