import type { components } from '../../api/schema.d.ts';

export type Item = components['schemas']['TimelineItem'];
/** One item, or several attempts to deliver an event, the oldest first. */
export type Group = readonly [Item, ...Item[]];

interface OpenGroup {
  readonly items: [Item, ...Item[]];
  /** Where its last item stands. */
  place: number;
}

/**
 * Puts attempts to deliver one event to one endpoint together while their outcome is the same and nothing else than
 * attempts happens between them. A group stands where its last attempt stood.
 */
export function groupsOf(items: readonly Item[]): readonly Group[] {
  const groups: OpenGroup[] = [];
  const open = new Map<string, OpenGroup>();
  for (const [place, item] of items.entries()) {
    if (item.attempt === null) open.clear();
    const key = `${item.attempt?.endpoint_id} ${item.event_id}`;
    const known = open.get(key);
    if (known?.items[0].failed === item.failed) {
      known.items.push(item);
      known.place = place;
      continue;
    }
    const group: OpenGroup = { items: [item], place };
    groups.push(group);
    if (item.attempt !== null) open.set(key, group);
  }
  return groups.toSorted((a, b) => a.place - b.place).map((group) => group.items);
}

/** Names a group among those of its timeline, also after later attempts have joined it. */
export const keyOf = ([{ kind, at, attempt, delivery_id: deliveryId }]: Group, place: number): string =>
  attempt === null ? `${kind} ${at} ${place}` : `${deliveryId} ${attempt.number}`;
