import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';
import type { Delivery } from './delivery-search.ts';

const TONE: Readonly<Record<Exclude<Delivery['status'], 'pending'>, Tone>> = {
  delivered: 'good',
  dead_letter: 'bad',
  held: 'paused',
  cancelled: 'neutral',
};

/** The status of a delivery. One that waits after a failure is being retried. */
export function DeliveryStatus({
  status,
  attempts,
}: {
  readonly status: Delivery['status'];
  readonly attempts: number;
}) {
  if (status !== 'pending') return <StatusBadge word={statusText(status)} tone={TONE[status]} />;
  return attempts > 0 ? <StatusBadge word="Retrying" tone="warning" /> : <StatusBadge word="Waiting" tone="busy" />;
}
