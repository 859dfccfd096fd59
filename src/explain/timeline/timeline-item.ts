/** The kinds of what happened to an intent. */
export const TIMELINE_KINDS = [
  'api_call',
  'address_assigned',
  'payment_seen',
  'payment_orphaned',
  'payment_final',
  'payment_booked',
  'payment_booked_out',
  'event',
  'webhook_attempt',
  'staff_action',
  'note',
  'deadline',
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** An attempt to deliver an event. */
export interface TimelineAttempt {
  /** Counted from 1 in each series. */
  readonly number: number;
  readonly endpointId: string;
  /** Without query and fragment. */
  readonly url: string;
  /** Null without an answer. */
  readonly responseStatus: number | null;
}

/** Something that happened to an intent. */
export interface TimelineItem {
  readonly kind: TimelineKind;
  /** Null where only the order is known: the time at which a block left the chain is not kept. */
  readonly at: Date | null;
  /** What happened, as a sentence. */
  readonly title: string;
  /** More about it, such as the answer of an endpoint or the reason of an action. */
  readonly detail: string | null;
  /** Whether it went wrong. */
  readonly failed: boolean;
  /** What it is about. */
  readonly transactionHash: string | null;
  readonly network: string | null;
  readonly eventId: string | null;
  readonly deliveryId: string | null;
  readonly attempt: TimelineAttempt | null;
  readonly requestId: string | null;
  /** The member of staff. */
  readonly actor: string | null;
}

const NOTHING = {
  detail: null,
  failed: false,
  transactionHash: null,
  network: null,
  eventId: null,
  deliveryId: null,
  attempt: null,
  requestId: null,
  actor: null,
} as const;

/** Makes an item from what it has. */
export const timelineItem = (
  item: Pick<TimelineItem, 'kind' | 'at' | 'title'> & Partial<TimelineItem>,
): TimelineItem => ({ ...NOTHING, ...item });

/**
 * Sorts what happened by time. Of one moment the cause comes first, in the order of the kinds; an item without a time
 * keeps its place behind the one that it was given after.
 */
export function inOrder(items: readonly TimelineItem[]): TimelineItem[] {
  let last = -Infinity;
  const placed = items.map((item, place) => {
    last = item.at === null ? last : item.at.getTime();
    return { item, time: last, place };
  });
  return placed
    .toSorted((one, other) => one.time - other.time || rankOf(one.item) - rankOf(other.item) || one.place - other.place)
    .map(({ item }) => item);
}

const rankOf = ({ kind }: TimelineItem): number => TIMELINE_KINDS.indexOf(kind);
