/**
 * The statements of the service for one withdrawal, and the claim and the kept answer of every write in a transaction, built
 * by the service's own code (`same-statements.ts` compares them in PostgreSQL's log). Each runs as a named prepared
 * statement, as in the service.
 */
import { place } from './compiled.ts';
import { TWO_LEGS } from './bare-booking.ts';
import { atOnce } from './at-once-statements.ts';
import { named, template } from './templates.ts';
import type { PlannedStatement } from '../src/platform/sql/planned-write.ts';

const { claimWrite, insertAnswer }: typeof import('../src/idempotency/kept-answers.sql.js') = await import(
  place('idempotency/kept-answers.sql.js')
);
const { DatabaseValues }: typeof import('../src/platform/sql/planned-write.js') = await import(
  place('platform/sql/planned-write.js')
);
const withdrawals: typeof import('../src/withdrawals/withdrawals.sql.js') = await import(
  place('withdrawals/withdrawals.sql.js')
);
const { screenDestination }: typeof import('../src/treasury/transactions/payable-destination.sql.js') = await import(
  place('treasury/transactions/payable-destination.sql.js')
);
const { findFreshSample }: typeof import('../src/treasury/fees/gas-prices.sql.js') = await import(
  place('treasury/fees/gas-prices.sql.js')
);

const FEES_FRESH_SECONDS = 120;

const tenant = { merchantId: named('merchantId'), environment: 'sandbox' } as const;
const key = { ...tenant, method: 'POST', path: named('path'), idempotencyKey: named('key') };

export const CLAIM = template('claim', claimWrite(key, named('lock')));

export const KEEP = template(
  'keep',
  insertAnswer({
    ...key,
    fingerprint: named('fingerprint'),
    requestId: named('requestId'),
    status: named('status'),
    body: named('body'),
    encrypted: false,
  }),
);

export const LOCK_POCKET = template('lock_pocket', withdrawals.lockPocket(named('pocketId'), tenant));
export const FIND_POCKET = template('find_pocket', withdrawals.findOrderedPocket(named('pocketId'), tenant));
export const SCREEN = template('screen', screenDestination('evm', named('address')));
export const FEES = template('fees', findFreshSample(named('chainRef'), FEES_FRESH_SECONDS));

const terms = {
  id: named('id'),
  ...tenant,
  pocketId: named('pocketId'),
  chainRef: named('chainRef'),
  network: named('network'),
  token: named('token'),
  tokenContract: named('contract'),
  tokenDecimals: named('decimals'),
  minorUnitExponent: named('exponent'),
  amountCents: named('amountCents'),
  amount: named('amount'),
  networkFeeCents: named('feeCents'),
  feeAmount: named('fee'),
  destination: named('destination'),
  destinationKey: named('address'),
  feeStrategy: 'standard',
  reference: named('reference'),
  apiKeyId: named('apiKeyId'),
  requestId: named('requestId'),
} as const;

const hold = {
  entry: { entryId: named('entryId'), reference: named('entryReference'), kind: 'withdrawal', hash: named('hash') },
  legs: TWO_LEGS,
  amount: named('held'),
} as const;

export const INSERT_WITHDRAWAL = template('insert_withdrawal', withdrawals.insertWithdrawal(terms, hold));

/** Accepts a withdrawal in one statement, with the placeholder that its JSON has. */
export const ACCEPT = acceptStatement();

function acceptStatement() {
  const values = new DatabaseValues();
  const at = values.time(withdrawals.acceptedAt).toISOString();
  const parts: PlannedStatement['parts'] = (condition) => withdrawals.acceptWithdrawal(terms, hold, condition);
  return { statement: atOnce('accept', 202, parts, values.substituted(named('json'))), at };
}
