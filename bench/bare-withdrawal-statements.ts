/**
 * The statements of the service for one withdrawal, and the claim and the kept answer of every write in a transaction, built
 * by the service's own code (`same-statements.ts` compares them in PostgreSQL's log). Each runs as a named prepared
 * statement, as in the service.
 */
import { place } from './compiled.ts';
import { named, template } from './templates.ts';

const { claimWrite, insertAnswer }: typeof import('../src/idempotency/kept-answers.sql.js') = await import(
  place('idempotency/kept-answers.sql.js')
);
const { lockPocket }: typeof import('../src/ledger/pockets.sql.js') = await import(place('ledger/pockets.sql.js'));
const { insertBookings }: typeof import('../src/ledger/bookings.sql.js') = await import(
  place('ledger/bookings.sql.js')
);
const { insertWithdrawal, stateOfPocket }: typeof import('../src/withdrawals/withdrawals.sql.js') = await import(
  place('withdrawals/withdrawals.sql.js')
);
const { findUnpayable }: typeof import('../src/treasury/transactions/payable-destination.sql.js') = await import(
  place('treasury/transactions/payable-destination.sql.js')
);
const { findFreshSample }: typeof import('../src/treasury/fees/gas-prices.sql.js') = await import(
  place('treasury/fees/gas-prices.sql.js')
);
const { findListing }: typeof import('../src/sanctions/screening.sql.js') = await import(
  place('sanctions/screening.sql.js')
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

export const LOCK_POCKET = template('lock_pocket', lockPocket(named('pocketId'), tenant));
export const STATE_OF_POCKET = template('state_of_pocket', stateOfPocket(named('pocketId'), named('accountId')));
export const UNPAYABLE = template('unpayable', findUnpayable(named('address')));
export const FEES = template('fees', findFreshSample(named('chainRef'), FEES_FRESH_SECONDS));
export const LISTING = template('listing', findListing('evm', named('address')));

export const INSERT_WITHDRAWAL = template(
  'insert_withdrawal',
  insertWithdrawal({
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
  }),
);

/** One entry with two legs. */
export const BOOK = template(
  'book',
  insertBookings(
    [{ entryId: named('entryId'), reference: named('entryReference'), kind: named('kind'), hash: named('hash') }],
    ['first', 'second'].map((leg) => ({
      entryId: named('entryId'),
      accountId: named(`${leg}Account`),
      asset: named('asset'),
      environment: 'sandbox',
      amount: named(`${leg}Amount`),
    })),
  ),
);
