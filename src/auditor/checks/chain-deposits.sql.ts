import type { AddressFamily, Environment } from '../../domain/network.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { json } from '../../platform/sql/json.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { isOutOfBooks } from './booked-out.sql.js';

const deposit = table(Deposit);
const known = table(Deposit, 'known');
const address = table(PoolAddress);

/** Which blocks of a chain to read. */
interface BlockPage {
  readonly chainRef: string;
  readonly above: number;
  readonly upTo: number;
  readonly limit: number;
}

/**
 * A deposit as JSON. `txHash` is null for one that only a balance showed; the balance check covers it. `isFinal` is false
 * for one that only one node has reported, and for one that was booked out: neither is in the books.
 */
const shown = json.object({
  id: json.text(deposit.id),
  txHash: json.text(deposit.txHash),
  position: deposit.position,
  toAddress: json.text(deposit.toAddress),
  tokenContract: json.text(deposit.tokenContract),
  amount: json.text(deposit.amount),
  isFinal: json.boolean(sql`${deposit.status} = 'confirmed' and not ${isOutOfBooks(deposit)}`),
});
const listed = json.list(shown, deposit.id);

/** Reads the next blocks with deposits above a height, each with all its deposits. */
export const nextBlocks = ({ chainRef, above, upTo, limit }: BlockPage) => sql`
  select ${out(deposit, 'blockHeight', 'blockHash')},
         ${listed} ${as.jsonOf(listed)('deposits')}
    from ${deposit} where ${deposit.chainRef} = ${chainRef} and ${deposit.status} <> 'orphaned'
     and ${deposit.blockHeight} in (
           select distinct ${known.blockHeight} from ${known}
            where ${known.chainRef} = ${chainRef} and ${known.status} <> 'orphaned'
              and ${known.blockHeight} > ${above} and ${known.blockHeight} <= ${upTo}
            order by ${known.blockHeight} limit ${limit})
   group by ${deposit.blockHeight}, ${deposit.blockHash} order by ${deposit.blockHeight}`;

/** Reads all addresses of a family in an environment. */
export const addressesOf = (environment: Environment, family: AddressFamily) => sql`
  select ${out(address, 'addressKey')} from ${address}
   where ${address.environment} = ${environment} and ${address.family} = ${family}`;
