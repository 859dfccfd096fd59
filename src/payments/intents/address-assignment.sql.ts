import type { WriteParts } from '../../platform/sql/planned-write.js';
import { cte, relation } from '../../platform/sql/relation.js';
import { type RowOf, sql, type SqlText } from '../../platform/sql/sql.js';
import { every, out, set, table } from '../../platform/sql/table.js';
import { assignAddress, type Pool } from '../addresses/pool-addresses.sql.js';
import { PaymentIntent } from './payment-intent.entity.js';

const intent = table(PaymentIntent);

/** The quote of an intent. */
export type IntentQuote = Pick<
  PaymentIntent,
  'chainRef' | 'tokenContract' | 'tokenDecimals' | 'priceRoundId' | 'tokenPrice' | 'tokenPriceCents' | 'cryptoAmount'
>;

/** Gives an intent its quote and its address, and returns it. */
export const quoteIntent = (id: string, quote: IntentQuote, address: string) => sql`
  update ${intent} set ${set(intent, { ...quote, address, updatedAt: sql`now()` })}
   where ${intent.id} = ${id} returning ${every(intent)}`;

/** An intent without an address, in the status in which it was read, and the pool of its addresses. */
interface Unassigned {
  readonly id: string;
  readonly status: PaymentIntent['status'];
  readonly pool: Pool;
}

const quoted = relation<RowOf<typeof assignAddress>>('quoted');

/** What the statement of `assignWithQuote` decides: the address, and the time of the update. */
export const assigned = { address: quoted.address, at: sql`now()` };

/**
 * Gives an intent its quote and the oldest free address, in one statement. Writes nothing if the condition does not hold, the
 * intent has changed or is due, or the pool is empty.
 */
export function assignWithQuote({ id, status, pool }: Unassigned, quote: IntentQuote, condition: SqlText): WriteParts {
  const open = cte(
    'open',
    sql`select ${out(intent, 'id')} from ${intent}
         where ${intent.id} = ${id} and ${intent.status} = ${status} and ${intent.address} is null
           and clock_timestamp() < ${intent.expiresAt} and ${condition}
           for no key update`,
  );
  const taken = cte('taken', assignAddress(pool, id, sql`exists (select from ${open})`));
  const effect = cte(
    'quoted',
    sql`update ${intent} set ${set(intent, { ...quote, address: taken.address, updatedAt: assigned.at })}
          from ${taken} where ${intent.id} = ${id} returning ${taken.address.as('address')}`,
  );
  return { steps: [open, taken, effect], effect };
}
