import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { PaymentIntent } from './payment-intent.entity.js';

const intent = table(PaymentIntent);

/** The condition of the index payment_intent_unusual. */
export const isUnusual = sql`(${intent.failureCode} = 'underpaid' or ${intent.acceptedShortfallCents} > 0 or ${intent.overpaidAmountCents} > 0)`;
