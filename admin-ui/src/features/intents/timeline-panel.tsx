import { Text } from '@mantine/core';
import {
  AlertIcon,
  BellIcon,
  BookIcon,
  ClockIcon,
  CodeIcon,
  LocationIcon,
  NoteIcon,
  PaperAirplaneIcon,
  PersonIcon,
  StackIcon,
} from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { Copy } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortHash } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';
import styles from './timeline-panel.module.css';

type Timeline = components['schemas']['Timeline'];
type Item = components['schemas']['TimelineItem'];

const ICON = {
  api_call: CodeIcon,
  address_assigned: LocationIcon,
  payment_seen: StackIcon,
  payment_orphaned: AlertIcon,
  payment_final: StackIcon,
  payment_booked: BookIcon,
  payment_booked_out: BookIcon,
  event: BellIcon,
  webhook_attempt: PaperAirplaneIcon,
  staff_action: PersonIcon,
  note: NoteIcon,
  deadline: ClockIcon,
} as const satisfies Readonly<Record<Item['kind'], unknown>>;

interface TimelineProps {
  readonly intentId: string;
  readonly status: string;
}

/** Everything that is kept about an intent, in the order in which it happened. */
export function TimelinePanel({ intentId, status }: TimelineProps) {
  const environment = useEnvironment();
  const live = useLive('intents', 'deliveries', 'notes', 'replay_jobs', 'requests');
  const timeline = useQuery({
    // A change of status is in the timeline at once, not when its other topics change.
    queryKey: ['intent', environment, intentId, 'timeline', status],
    placeholderData: (earlier: Timeline | undefined, query) => (query?.queryKey[2] === intentId ? earlier : undefined),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/intents/{id}/timeline', {
          params: { path: { environment, id: intentId } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  return (
    <Panel title="Timeline">
      {timeline.data === undefined && timeline.error === null && <Loading />}
      {timeline.data === undefined && timeline.error !== null && (
        <ErrorState error={asApiError(timeline.error)} onRetry={() => void timeline.refetch()} />
      )}
      {timeline.data !== undefined && (
        <ol className={styles['list']}>
          {timeline.data.items.map((item, place) => (
            <TimelineItem key={`${item.kind} ${item.at} ${place}`} item={item} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function TimelineItem({ item }: { readonly item: Item }) {
  const environment = useEnvironment();
  const Icon = item.failed ? AlertIcon : ICON[item.kind];
  return (
    <li className={styles['item']} data-failed={item.failed || undefined} data-kind={item.kind}>
      <Icon size={16} aria-hidden className={styles['icon']} />
      <div className={styles['text']}>
        <div>
          {item.failed && <span className={styles['failed']}>Failed: </span>}
          {item.title}
        </div>
        {item.detail !== null && item.detail !== '' && (
          <Text size="sm" c="dimmed" component="div">
            <ForeignText value={item.detail} />
          </Text>
        )}
        <div className={styles['about']}>
          {item.actor !== null && <ForeignText value={item.actor} />}
          {item.transaction_hash !== null && (
            <Copy value={item.transaction_hash} label="transaction hash" shown={shortHash(item.transaction_hash)} />
          )}
          {item.delivery_id !== null && (
            <PlaceLink to={`/${environment}/deliveries/${item.delivery_id}`}>{item.delivery_id}</PlaceLink>
          )}
          {item.delivery_id === null && item.event_id !== null && <Copy value={item.event_id} label="event id" />}
          {item.request_id !== null && (
            <span>
              <Copy value={item.request_id} label="request id" />{' '}
              <PlaceLink to={`/${environment}/requests?request_id=${item.request_id}`}>Open in the log</PlaceLink>
            </span>
          )}
        </div>
      </div>
      <span className={styles['at']}>{item.at === null ? 'time not kept' : <Time at={item.at} />}</span>
    </li>
  );
}
