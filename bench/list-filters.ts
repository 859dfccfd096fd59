/** A filter as a query of the API, and as SQL `conditions` with their values. */
export interface ListFilter {
  readonly name: string;
  readonly query: string;
  readonly conditions: readonly (readonly [condition: string, value: string])[];
}

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const [from, until] = [daysAgo(350), daysAgo(10)];

/** The filters of the lists. The dates span most of the table, so that the page in the middle is far from both ends. */
export const LIST_FILTERS: readonly ListFilter[] = [
  { name: 'unfiltered', query: '', conditions: [] },
  { name: 'rare status', query: 'status=failed', conditions: [['status = ?', 'failed']] },
  { name: 'network', query: 'network=bnb', conditions: [['network = ?', 'bnb']] },
  {
    name: 'dates',
    query: `created_gte=${from}&created_lt=${until}`,
    conditions: [
      ['created_at >= ?', from],
      ['created_at < ?', until],
    ],
  },
  {
    name: 'network and status',
    query: 'network=ethereum&status=expired',
    conditions: [
      ['status = ?', 'expired'],
      ['network = ?', 'ethereum'],
    ],
  },
];
