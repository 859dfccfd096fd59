import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import type { Delivery } from './delivery-search.ts';

const STATUS: Readonly<Record<Delivery['status'], readonly [word: string, tone: Tone]>> = {
  pending: ['Waiting', 'busy'],
  delivered: ['Delivered', 'good'],
  dead_letter: ['Dead-lettered', 'bad'],
  held: ['Held', 'paused'],
  cancelled: ['Cancelled', 'neutral'],
};

/** The status of a delivery. One that waits after a failure is being retried. */
export function DeliveryStatus({
  status,
  attempts,
}: {
  readonly status: Delivery['status'];
  readonly attempts: number;
}) {
  const [word, tone] = status === 'pending' && attempts > 0 ? (['Retrying', 'warning'] as const) : STATUS[status];
  return <StatusBadge word={word} tone={tone} />;
}
