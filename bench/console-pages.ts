import type { ConsoleView } from './console-figures.ts';
import { DESTINATION } from './withdrawals-table.ts';

/** The id of a row of the filled tables: it ends with the row's number. */
export const idOf = (prefix: string, number: number): string => `${prefix}_00${String(number).padStart(24, '0')}`;

/** Pages without a list, and parts of pages, among this many rows. */
export function pages(rows: number, busy: string): ConsoleView[] {
  const of = (name: string, path: string): ConsoleView => ({ name, paths: [path] });
  return [
    of('a busy intent', `/intents/${busy}`),
    of('the timeline of a busy intent', `/intents/${busy}/timeline`),
    of('the notes of a busy intent', `/notes?subject_kind=payment_intent&subject_id=${busy}`),
    of('a withdrawal', `/withdrawals/${idOf('wd', rows / 2)}`),
    of('a deposit', `/deposits/dep_01${'1'.padStart(24, '0')}`),
    of('the busiest pocket', `/pockets/${idOf('pkt', 1)}`),
    of('a delivery', `/deliveries/${idOf('dlv', rows / 2)}`),
    of('open decisions, counted', '/decision-counts'),
    of('withdrawals that need an approval', '/withdrawals?waits_for=approval'),
    of('errors of the last 24 hours', '/requests/errors'),
    of('treasury', '/treasury'),
    of('address pool', '/wallet-pool'),
    of('networks', '/networks'),
    of('books', '/books'),
    of('sanctions', '/sanctions'),
    of('prices', '/prices'),
  ];
}

/** What somebody pastes, each found along its own indexes. */
export function searches(rows: number): ConsoleView[] {
  const n = rows - 7;
  const of = (name: string, text: string): ConsoleView => ({
    name: `search, ${name}`,
    paths: [`/search?${new URLSearchParams({ q: text }).toString()}`],
  });
  const ids = ['pi', 'wd', 'evt', 'dlv', 'dep'].map((prefix) => idOf(prefix, n));
  const address = `0xf${n.toString(16).padStart(39, '0')}`;
  const hash = `0x${n.toString(16).padStart(64, '0')}`;
  return [
    of('id of an intent', ids[0] ?? ''),
    of('id of a withdrawal', ids[1] ?? ''),
    of('address of an intent', address),
    of('destination of many withdrawals', DESTINATION),
    of('hash of a transaction', hash),
    of('reference of an intent', `order-${n}`),
    of('reference of a withdrawal', `payout-${n}`),
    of('unknown text', 'no such reference'),
    of(
      'a whole mail',
      `Hello, order-${n} and "payout-${n}" (${ids.join(', ')}) were paid to ${address} and ${DESTINATION} by ${hash}. ` +
        'Which of them arrived? Our customer waits for shipment 4711 since Monday. Regards, Kim',
    ),
  ];
}
