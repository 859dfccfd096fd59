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
import { useEnvironment } from '../../app/environment.ts';
import { Copy } from '../../ui/copy.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { PlaceLink } from '../../ui/place-link.tsx';
import { shortHash } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';
import { type Group, type Item, keyOf } from './timeline-groups.ts';
import styles from './timeline-panel.module.css';

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

/** What happened once, or the line of several attempts, which opens to the single ones. */
export function TimelineGroup({ items }: { readonly items: Group }) {
  const [first, ...others] = items;
  const last = others.at(-1);
  if (last === undefined) return <TimelineItem item={first} />;
  return (
    <li className={styles['item']} data-failed={last.failed || undefined} data-kind="webhook_attempts">
      <ItemIcon item={last} />
      <div className={styles['text']}>
        <details>
          <summary className={styles['summary']}>
            <span className={last.failed ? styles['failed'] : undefined}>
              {wholeText(items.length)} {last.failed ? 'failed' : 'acknowledged'} attempts
            </span>{' '}
            to {last.attempt?.endpoint_url}, last: {last.attempt?.response_status ?? 'no answer'},{' '}
            <ItemTime item={last} />
          </summary>
          <ol className={styles['list']}>
            {items.map((item, place) => (
              <TimelineItem key={keyOf([item], place)} item={item} />
            ))}
          </ol>
        </details>
        <More item={last} />
      </div>
    </li>
  );
}

function TimelineItem({ item }: { readonly item: Item }) {
  return (
    <li className={styles['item']} data-failed={item.failed || undefined} data-kind={item.kind}>
      <ItemIcon item={item} />
      <div className={styles['text']}>
        <div>
          {item.failed && <span className={styles['failed']}>Failed: </span>}
          {item.title}
        </div>
        <More item={item} />
      </div>
      <span className={styles['at']}>
        <ItemTime item={item} />
      </span>
    </li>
  );
}

function ItemIcon({ item }: { readonly item: Item }) {
  const Icon = item.failed ? AlertIcon : ICON[item.kind];
  return <Icon size={16} aria-hidden className={styles['icon']} />;
}

const ItemTime = ({ item: { at } }: { readonly item: Item }) => (at === null ? 'time not kept' : <Time at={at} />);

/** The detail of an item, and the objects that it is about. */
function More({ item }: { readonly item: Item }) {
  const environment = useEnvironment();
  return (
    <>
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
    </>
  );
}
