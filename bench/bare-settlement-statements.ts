/**
 * The statements of the service for a final deposit that completes its intent, built by the service's own code
 * (`same-settlement.ts` compares them in PostgreSQL's log). Each runs as a named prepared statement, as in the service.
 */
import { place } from './compiled.ts';
import { named, template } from './templates.ts';

const { lockIntents }: typeof import('../src/payments/intents/payment-intents.sql.js') = await import(
  place('payments/intents/payment-intents.sql.js')
);
const { deleteMarks, insertMarks }: typeof import('../src/payments/intents/dirty-intents.sql.js') = await import(
  place('payments/intents/dirty-intents.sql.js')
);
const { findDeposits }: typeof import('../src/payments/intents/intent-deposits.sql.js') = await import(
  place('payments/intents/intent-deposits.sql.js')
);
const { confirmFinal }: typeof import('../src/payments/listener/deposit-recorder.sql.js') = await import(
  place('payments/listener/deposit-recorder.sql.js')
);
const { findChainProgress, recordBooking, recordOutcomes }: typeof import('../src/payments/intents/settlement.sql.js') =
  await import(place('payments/intents/settlement.sql.js'));
const { findDepositAccounts }: typeof import('../src/ledger/pockets.sql.js') = await import(
  place('ledger/pockets.sql.js')
);
const { insertEvents }: typeof import('../src/events/events.sql.js') = await import(place('events/events.sql.js'));

export const MARK = template('mark', insertMarks([named('id')]));
export const CONFIRM = template(
  'confirm',
  confirmFinal(named('chainRef'), {
    finalizedHeight: named('finalizedHeight'),
    secondNodeAboveCents: null,
    isCaughtUp: true,
    sweptAddressIds: [],
    readAddresses: [],
  }),
);
export const LOCK = template('lock', lockIntents([named('id')]));
export const UNMARK = template('unmark', deleteMarks([named('id')]));
export const PROGRESS = template('progress', findChainProgress([named('id')]));
export const DEPOSITS = template('deposits', findDeposits([named('id')]));

export const COMPLETE = template(
  'complete',
  recordOutcomes([
    {
      id: named('id'),
      outcome: {
        status: 'completed',
        failure: null,
        receivedUnits: named('units'),
        receivedCents: named('cents'),
        overpaidCents: 0,
        acceptedShortfallCents: 0,
        awaitsStaff: false,
      },
      isDue: false,
      isChange: true,
    },
  ]),
);

export const ACCOUNTS = template(
  'accounts',
  findDepositAccounts([
    {
      merchantId: named('merchantId'),
      environment: 'sandbox',
      network: named('network'),
      contract: named('contract'),
      asset: named('asset'),
    },
  ]),
);

export const CREDIT = template('credit', recordBooking([{ id: named('depositId'), late: false, isBooked: true }]));

const event = (nth: string) => ({
  id: named(`${nth}Id`),
  merchantId: named('merchantId'),
  environment: 'sandbox' as const,
  type: named(`${nth}Type`),
  resourceId: named('id'),
  data: named('data'),
  traceparent: null,
});
export const EVENTS = template('events', insertEvents([event('first'), event('second')]));
