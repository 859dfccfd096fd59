import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../../treasury/transactions/transaction-attempt.entity.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';

const wallet = table(HotWallet, 'wallet');
const sent = table(ChainTransaction, 'sent');
const attempt = table(TransactionAttempt);

const hashes = sql`
  array(select ${attempt.txHash} from ${attempt} where ${attempt.transactionId} = ${sent.id} order by ${attempt.number})`;

/** Which transactions of a chain to read. */
interface TransactionPage<Above> {
  readonly chainRef: string;
  readonly above: Above;
  readonly limit: number;
}

/** Reads the next transactions of the hot wallet above a nonce that were mined up to a block, with all their hashes. */
export const nextEnded = ({ chainRef, above, limit, upTo }: TransactionPage<string> & { readonly upTo: number }) => sql`
  select ${out(sent, 'id', 'nonce', 'status', 'purpose', 'purposeId', 'sender', 'destination', 'value', 'data', 'tokenContract', 'amount')},
         ${sent.minedHash.asNotNull('minedHash')}, ${sent.minedHeight.asNotNull('minedHeight')},
         ${sent.feePaid.asNotNull('feePaid')}, ${hashes} ${as.texts('hashes')}
    from ${wallet}
    join ${sent} on ${sent.chainRef} = ${wallet.chainRef} and ${sent.sender} = ${wallet.addressKey}
   where ${wallet.chainRef} = ${chainRef} and ${sent.minedHeight} <= ${upTo} and ${sent.nonce} > ${above}
   order by ${sent.nonce} limit ${limit}`;

/**
 * Reads the next mined transactions above a number where transactions expire, with all their hashes: those of the hot wallet,
 * and the sweeps that deposit addresses pay for, which have numbers of the hot wallet too.
 */
export const nextEndedExpiring = ({ chainRef, above, limit }: TransactionPage<string>) => sql`
  select ${out(sent, 'id', 'nonce', 'status', 'purpose', 'purposeId', 'sender', 'destination', 'tokenContract', 'amount')},
         ${sent.minedHash.asNotNull('minedHash')}, ${sent.minedHeight.asNotNull('minedHeight')},
         ${sent.feePaid.asNotNull('feePaid')}
    from ${sent}
   where ${sent.chainRef} = ${chainRef} and ${sent.minedHeight} is not null and ${sent.validUntil} is not null
     and ${sent.nonce} > ${above}
   order by ${sent.nonce} limit ${limit}`;

/** Reads the next abandoned or superseded transactions above an id, with all their hashes. */
export const nextGivenUp = ({ chainRef, above, limit }: TransactionPage<string>) => sql`
  select ${out(sent, 'id', 'status')}, ${hashes} ${as.texts('hashes')}
    from ${sent}
   where ${sent.chainRef} = ${chainRef} and ${sent.status} in ('abandoned', 'superseded', 'expired') and ${sent.id} > ${above}
   order by ${sent.id} limit ${limit}`;

/** Counts a hot wallet's transactions: those mined up to a block, and those in use below a nonce. */
export const countNonces = (chainRef: string, upTo: number, below: number) => sql`
  select ${out(wallet, 'nextNonce')}, coalesce(min(${sent.nonce}), ${wallet.nextNonce}) ${as.digits('first')},
         count(*) filter (where ${sent.minedHeight} <= ${upTo}) ${as.digits('ended')},
         count(*) filter (where ${sent.nonce} < ${below}
                            and ${sent.status} not in ('abandoned', 'superseded', 'expired')) ${as.digits('standing')}
    from ${wallet}
    left join ${sent} on ${sent.chainRef} = ${wallet.chainRef} and ${sent.sender} = ${wallet.addressKey}
   where ${wallet.chainRef} = ${chainRef} group by ${wallet.chainRef}`;
