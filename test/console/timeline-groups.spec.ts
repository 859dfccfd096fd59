import { groupsOf, type Item, keyOf } from '../../admin-ui/src/features/intents/timeline-groups.js';

const OTHER = {
  kind: 'note',
  at: '2026-11-27T08:00:00.000Z',
  title: 'Note.',
  detail: null,
  failed: false,
  transaction_hash: null,
  network: null,
  event_id: null,
  delivery_id: null,
  attempt: null,
  request_id: null,
  actor: null,
} as const satisfies Item;

/** `A1 500`: attempt 1 of event A; `A1 500 we_2`: at another endpoint; anything else: another item of that title. */
function itemOf(text: string): Item {
  const [, event, number, status, endpoint = 'we_1'] = /^([A-Z])(\d+) (\d+)(?: (\w+))?$/.exec(text) ?? [];
  if (event === undefined) return { ...OTHER, title: text };
  const attempt = {
    number: Number(number),
    endpoint_id: endpoint,
    endpoint_url: `https://example.com/${endpoint}`,
    response_status: status === '0' ? null : Number(status),
  };
  const about = { event_id: event, delivery_id: `${event} ${endpoint}` };
  return { ...OTHER, ...about, kind: 'webhook_attempt', title: text, failed: status !== '200', attempt };
}

const grouped = (...texts: readonly string[]): string[][] =>
  groupsOf(texts.map(itemOf)).map((items) => items.map(({ title }) => title));

describe('the timeline of an intent', () => {
  it.each<[what: string, items: readonly string[], groups: readonly (readonly string[])[]]>([
    ['nothing', [], []],
    ['other things as they are, also alike ones', ['a note', 'a note'], [['a note'], ['a note']]],
    ['failures in a row, whatever was answered', ['A1 500', 'A2 0', 'A3 401'], [['A1 500', 'A2 0', 'A3 401']]],
    ['a success apart from the failures before', ['A1 500', 'A2 500', 'A3 200'], [['A1 500', 'A2 500'], ['A3 200']]],
    [
      'failures apart from those before a success',
      ['A1 500', 'A2 200', 'A1 500'],
      [['A1 500'], ['A2 200'], ['A1 500']],
    ],
    ['successes in a row', ['A1 200', 'A1 200'], [['A1 200', 'A1 200']]],
    [
      'what happens between attempts in its place',
      ['A1 500', 'a note', 'A2 500'],
      [['A1 500'], ['a note'], ['A2 500']],
    ],
    [
      'attempts for two events at once by their events, each where its last one stood',
      ['A1 500', 'B1 500', 'C1 200', 'B2 500', 'A2 500', 'a note'],
      [['C1 200'], ['B1 500', 'B2 500'], ['A1 500', 'A2 500'], ['a note']],
    ],
    [
      'two endpoints of one event apart',
      ['A1 500', 'A1 500 we_2', 'A2 500', 'A2 500 we_2'],
      [
        ['A1 500', 'A2 500'],
        ['A1 500 we_2', 'A2 500 we_2'],
      ],
    ],
  ])('shows %s', (_what, items, groups) => {
    expect(grouped(...items)).toEqual(groups);
  });

  it('knows a group again after a later attempt has moved it', () => {
    const keysOf = (...texts: readonly string[]) => groupsOf(texts.map(itemOf)).map(keyOf);
    const [a, b] = keysOf('A1 500', 'A2 500', 'B1 500');
    expect(a).not.toBe(b);
    expect(keysOf('A1 500', 'A2 500', 'B1 500', 'A3 500')).toEqual([b, a]);
  });
});
