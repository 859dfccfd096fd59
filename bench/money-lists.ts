import { between, dates, type FilteredList } from './filtered-list.ts';
import { DESTINATION } from './withdrawals-table.ts';

const YEAR = dates(350, 10);
const NEWEST = 'created_at desc, id desc';

interface Of {
  readonly merchantId: string;
  readonly pocketId: string;
}

/** The lists of withdrawals, and of the entries of the busiest pocket. */
export function withdrawalLists({ merchantId, pocketId }: Of): FilteredList[] {
  const of = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `withdrawals, ${name}`,
    path: '/withdrawals',
    query,
    from: `withdrawal where ${where}`,
    order: NEWEST,
    id: 'id',
  });
  return [
    of('unfiltered', {}, 'true'),
    of('completed', { status: 'completed' }, `status = 'completed'`),
    of('failed', { status: 'failed' }, `status = 'failed'`),
    of('under way', { status: 'broadcasting' }, `status = 'broadcasting'`),
    of('merchant', { merchant_id: merchantId }, `merchant_id = '${merchantId}'`),
    of('pocket', { pocket_id: pocketId }, `pocket_id = '${pocketId}'`),
    of('network', { network: 'bnb' }, `network = 'bnb'`),
    of('destination', { destination: DESTINATION }, `destination_key = '${DESTINATION}'`),
    of('dates', YEAR, between(YEAR)),
    of('network and status', { network: 'bnb', status: 'failed' }, `network = 'bnb' and status = 'failed'`),
    of(
      'merchant, destination, status and dates',
      { merchant_id: merchantId, destination: DESTINATION, status: 'failed', ...YEAR },
      `merchant_id = '${merchantId}' and destination_key = '${DESTINATION}' and status = 'failed' and ${between(YEAR)}`,
    ),
    {
      name: 'entries of the busiest pocket',
      path: `/pockets/${pocketId}/entries`,
      query: {},
      from: `pocket join posting on account_id = available_account_id where pocket.id = '${pocketId}'`,
      order: 'posting.id desc',
      id: 'entry_id',
    },
  ];
}

const LATE_KNOWN = 'exists (select from acknowledgement where subject_id = id)';

/** The lists of deposits and intents that staff decide about or acknowledge. */
export function exceptionLists(): FilteredList[] {
  const mismatched = (name: string, query: Record<string, string>, where: string): FilteredList => ({
    name: `mismatched deposits, ${name}`,
    path: '/deposits',
    query,
    from: `deposit where status <> 'orphaned' and (unattributed_reason is not null or late) and ${where}`,
    order: 'seen_at desc, id desc',
    id: 'id',
  });
  const decisions = (kind: string, from: string, id = 'id'): FilteredList => ({
    name: `open decisions, ${kind}`,
    path: '/decisions',
    query: { kind },
    from,
    order: id,
    id,
  });
  const unusual = (unusualBy: string, acknowledged: boolean, where: string): FilteredList => ({
    name: `unusual payments, ${unusualBy}, ${acknowledged ? '' : 'not '}acknowledged`,
    path: '/intents',
    query: { unusual: unusualBy, acknowledged: String(acknowledged) },
    from: `payment_intent where (${where}) and ${acknowledged ? '' : 'not '}${LATE_KNOWN}`,
    order: NEWEST,
    id: 'id',
  });
  return [
    mismatched('unfiltered', {}, 'true'),
    mismatched('network', { network: 'polygon' }, 'true'),
    mismatched('late, not acknowledged', { late_acknowledged: 'false' }, `late and not ${LATE_KNOWN}`),
    mismatched('late, acknowledged', { late_acknowledged: 'true' }, `late and ${LATE_KNOWN}`),
    decisions('unattributed', `deposit where held_as = 'suspense'`),
    decisions('on_hold', `deposit where held_as = 'frozen'`),
    decisions('kept', `deposit where held_as = 'kept'`),
    decisions('refunding', `deposit where held_as = 'returning'`),
    decisions('reorged', 'deposit where gone_at is not null and credited_at is not null'),
    decisions('quarantined', 'dirty_intent where quarantined_at is not null', 'intent_id'),
    unusual('any', false, `failure_code = 'underpaid' or overpaid_amount_cents > 0`),
    unusual('any', true, `failure_code = 'underpaid' or overpaid_amount_cents > 0`),
    unusual('under', false, `failure_code = 'underpaid'`),
    unusual('over', false, 'overpaid_amount_cents > 0'),
  ];
}
