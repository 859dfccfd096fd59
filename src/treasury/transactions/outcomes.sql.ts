import { NATIVE_COIN } from '../../domain/network.js';
import { ChainBlock } from '../../offers/chain-block.entity.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table, values } from '../../platform/sql/table.js';
import { type ChainTransactionStatus, ChainTransaction } from './chain-transaction.entity.js';
import { LossItem } from './loss-item.entity.js';
import { TransactionAttempt } from './transaction-attempt.entity.js';

const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const chain = table(Chain);
const cursor = table(ChainCursor);
const block = table(ChainBlock);
const token = table(ChainToken);
const lossItem = table(LossItem);

/** How a transaction ended, by the receipt of its mined attempt. */
export interface EndedTransaction {
  readonly id: string;
  readonly status: ChainTransactionStatus;
  readonly hash: string;
  readonly height: number;
  /** Wei. */
  readonly fee: bigint;
  readonly blockHash: string;
}

const ended = given('ended', {
  id: 'text',
  status: 'text',
  hash: 'text',
  height: 'bigint',
  fee: 'numeric',
  blockHash: 'text',
});

/** Finds the chains with open transactions. */
export const chainsWithOpen = sql`
  select distinct ${out(transaction, 'chainRef')} from ${transaction} where ${transaction.status} = 'signed'`;

/** Reads the open transactions of a chain by their nonces, with the hashes of their attempts, the newest first. */
export const openTransactions = (chainRef: string, limit: number) => sql`
  select ${out(transaction, 'id', 'purpose', 'sender', 'nonce', 'destination', 'value', 'data')},
         array(select ${attempt.txHash} from ${attempt} where ${attempt.transactionId} = ${transaction.id}
                order by ${attempt.number} desc) ${as.texts('hashes')}
    from ${transaction} where ${transaction.chainRef} = ${chainRef} and ${transaction.status} = 'signed'
   order by ${transaction.nonce} limit ${limit}`;

/** Locks transactions in one order everywhere, so that concurrent transactions wait instead of deadlocking. */
export const lockTransactions = (ids: readonly string[]) => sql`
  select from ${transaction} where ${transaction.id} = any(${ids}) order by ${transaction.id} for no key update`;

/** Ends the transactions that the recorded blocks allow to end, and returns them with their chain. */
export const endTransactions = (transactions: readonly EndedTransaction[]) => sql`
  update ${transaction}
     set ${set(transaction, {
       status: ended.status,
       minedHash: ended.hash,
       minedHeight: ended.height,
       feePaid: ended.fee,
       finishedAt: sql`now()`,
     })}
    from ${unnest(ended, transactions)}, ${chain}, ${cursor}
   where ${transaction.id} = ${ended.id} and ${transaction.status} = 'signed' and ${chain.id} = ${transaction.chainRef}
     and ${cursor.chainRef} = ${transaction.chainRef}
     and ${cursor.finalizedHeight} >= ${ended.height} and ${cursor.haltedReason} is null
     and not exists (select from ${block}
                      where ${block.chainRef} = ${transaction.chainRef} and ${block.height} = ${ended.height}
                        and ${block.hash} <> ${ended.blockHash})
  returning ${out(transaction, 'id', 'purposeId')}, ${out(chain, 'environment', 'network')}`;

/** Reads a transaction with its chain and the contracts that are listed there, in lower case, enabled or not. */
export const findLoss = (transactionId: string) => sql`
  select ${out(transaction, 'chainRef', 'sender', 'tokenContract', 'amount')}, ${out(chain, 'environment', 'network')},
         array(select ${token.contract} from ${token}
                where ${token.chainRef} = ${transaction.chainRef} and ${token.contract} <> ${NATIVE_COIN}) ${as.texts('tokens')}
    from ${transaction} join ${chain} on ${chain.id} = ${transaction.chainRef} where ${transaction.id} = ${transactionId}`;

/** Inserts the amount of a token that a loss took. */
export const insertLossItem = (item: LossItem) => sql`insert into ${lossItem} ${values(lossItem, item)}`;
