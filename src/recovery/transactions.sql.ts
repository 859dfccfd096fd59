import { Chain } from '../offers/chain.entity.js';
import { ChainBlock } from '../offers/chain-block.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { as } from '../platform/sql/as.js';
import { raw, sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { DATABASE_IDENTITY } from '../treasury/database-identity.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../treasury/transactions/transaction-attempt.entity.js';
import { HotWallet } from '../treasury/wallets/hot-wallet.entity.js';

/** A place in a hot wallet's nonces. */
interface NoncePlace {
  readonly chainRef: string;
  readonly sender: string;
  readonly nonce: number;
}

const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const wallet = table(HotWallet);
const chain = table(Chain);
const cursor = table(ChainCursor, 'cursor');
const block = table(ChainBlock, 'block');
const token = table(ChainToken);

/** Finds the recorded transaction of a chain with this hash. */
export const findByHash = (chainRef: string, txHash: string) => sql`
  select ${out(transaction, 'id', 'purpose', 'purposeId')}, ${transaction.nonce}::int ${as.int('nonce')}
    from ${attempt} join ${transaction} on ${transaction.id} = ${attempt.transactionId}
   where ${attempt.txHash} = ${txHash} and ${transaction.chainRef} = ${chainRef}`;

/** Locks the recorded transaction that has a nonce. */
export const lockHolder = ({ chainRef, sender, nonce }: NoncePlace) => sql`
  select ${out(transaction, 'id', 'purpose', 'purposeId', 'status')}, ${transaction.nonce}::int ${as.int('nonce')}
    from ${transaction}
   where ${transaction.chainRef} = ${chainRef} and ${transaction.sender} = ${sender} and ${transaction.nonce} = ${nonce}
     and ${transaction.status} <> 'superseded' for no key update`;

/** Finds the other hashes of the recorded transactions with a nonce. */
export const findRivals = ({ chainRef, sender, nonce }: NoncePlace, txHash: string) => sql`
  select ${out(attempt, 'txHash')} from ${attempt} join ${transaction} on ${transaction.id} = ${attempt.transactionId}
   where ${transaction.chainRef} = ${chainRef} and ${transaction.sender} = ${sender} and ${transaction.nonce} = ${nonce}
     and ${attempt.txHash} <> ${txHash}`;

/** Marks a transaction as superseded. */
export const markSuperseded = (id: string) => sql`
  update ${transaction} set ${set(transaction, { status: 'superseded', finishedAt: sql`now()` })}
   where ${transaction.id} = ${id}`;

/** Finds the signed transactions of a chain with nonces below one, each with the hashes of its versions. */
export const openBelow = (chainRef: string, nonce: number, limit: number) => sql`
  select ${out(transaction, 'id', 'purpose', 'purposeId', 'nonce')},
         array(select ${attempt.txHash} from ${attempt}
                where ${attempt.transactionId} = ${transaction.id}) ${as.texts('hashes')}
    from ${transaction}
   where ${transaction.chainRef} = ${chainRef} and ${transaction.status} = 'signed' and ${transaction.nonce} < ${nonce}
   order by ${transaction.nonce} limit ${limit}`;

/** Finds a chain's hot wallet with the chain's own id. */
export const findWallet = (chainRef: string) => sql`
  select ${out(wallet, 'address', 'addressKey', 'nextNonce')}, ${out(chain, 'chainId')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} where ${wallet.chainRef} = ${chainRef}`;

/** Counts one more nonce of a hot wallet as used. */
export const useNonce = (chainRef: string) => sql`
  update ${wallet} set ${set(wallet, { nextNonce: sql`${wallet.nextNonce} + 1` })} where ${wallet.chainRef} = ${chainRef}`;

/** Finds the networks in use that have a hot wallet. */
export const findWalletNetworks = sql`
  select ${out(chain, 'environment', 'network')} from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef}
   where ${chain.active} order by ${chain.id}`;

/** Makes the vault ask every chain for the nonces of its hot wallet again, and records this database as known to staff. */
export const forgetChainNonces = sql`
  update ${wallet} set ${set(wallet, { chainNonce: null, distrustedAt: sql`now()`, databaseIdentity: raw(DATABASE_IDENTITY) })}`;

/** Finds the cursor of a chain when it has a final block that is not known to be another one. */
export const findFinalCursor = (chainRef: string, height: number | null, hash: string | null) => sql`
  select ${out(cursor, 'chainRef')} from ${cursor}
   where ${cursor.chainRef} = ${chainRef} and ${cursor.finalizedHeight} >= ${height} and ${cursor.haltedReason} is null
     and not exists (select from ${block}
                      where ${block.chainRef} = ${chainRef} and ${block.height} = ${height} and ${block.hash} <> ${hash})`;

/** Finds a token of a chain by the key of its contract. */
export const findToken = (chainRef: string, contract: string) => sql`
  select ${out(token, 'symbol', 'decimals')} from ${token}
   where ${token.chainRef} = ${chainRef} and ${token.contract} = ${contract}`;
