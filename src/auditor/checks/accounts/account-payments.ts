import type { FinalTransaction } from '../../../chains/expiring.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import { findRecorded } from '../../../treasury/expiring/expiring-payments.sql.js';
import { outcomeOf, ownOutcomeOf, type PaymentOutcome } from '../../../treasury/expiring/final-outcome.js';
import { lossEnd } from '../../../treasury/expiring/lost-funds.js';
import { type MovedFunds, sweepEnd } from '../../../treasury/sweeps/expiring/moved-funds.js';
import { fundsOfSweeps } from '../../../treasury/sweeps/expiring/signed-sweeps.js';
import type { Finding } from '../../check.js';
import { findWalletAddress } from '../chain-hot-wallet.sql.js';
import { nextEndedExpiring, nextGivenUp } from '../chain-payments.sql.js';
import type { AuditedExpiringChain } from './audited-account-chain.js';

const TRANSACTIONS_AT_ONCE = 50;

type EndedRow = RowOf<typeof nextEndedExpiring>;

/** Returns the first transaction that the chain contradicts. */
export async function findAccountPaymentBreach(
  database: Database,
  chain: AuditedExpiringChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  return (await endedBreach(database, chain, unasked)) ?? (await givenUpBreach(database, chain));
}

/** A node may have dropped old transactions: one that it does not show contradicts nothing. */
async function endedBreach(
  database: Database,
  { chainRef, client, tokens }: AuditedExpiringChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const page = { chainRef, limit: TRANSACTIONS_AT_ONCE };
  for (let above = '-1', unknown = 0; ;) {
    const ended = await database.rows(nextEndedExpiring({ ...page, above }));
    const finals = await client.finalTransactionsOf(
      ended.map(({ minedHash }) => minedHash),
      tokens,
    );
    const sweepIds = ended.filter(({ purpose }) => purpose === 'sweep').map(({ purposeId }) => purposeId);
    const funds = await fundsOfSweeps(database, sweepIds);
    for (const [place, transaction] of ended.entries()) {
      const final = finals[place] ?? null;
      const says = final === null ? null : contradiction(transaction, final, endOf(transaction, final, funds));
      if (final === null) unknown += 1;
      if (says !== null) return { row: `chain_transaction ${transaction.id}`, says };
    }
    above = ended.at(-1)?.nonce ?? above;
    if (ended.length === TRANSACTIONS_AT_ONCE) continue;
    if (unknown > 0) unasked(`The node does not show ${unknown} transactions of the hot wallet.`);
    return null;
  }
}

/** Returns how a payment, a sweep, a stake or a loss ended by the chain; null when the changes contradict it. */
function endOf(
  { purpose, purposeId, sender, destination: recipient, tokenContract: token, amount }: EndedRow,
  final: FinalTransaction,
  funds: ReadonlyMap<string, readonly MovedFunds[]>,
): PaymentOutcome | null {
  if (purpose === 'sweep')
    return sweepEnd({ hotWallet: recipient, feePayer: sender, funds: funds.get(purposeId) ?? [] }, final);
  if (purpose === 'loss') return lossEnd({ hotWallet: sender, coins: BigInt(amount) }, final);
  if (purpose === 'stake') return ownOutcomeOf(sender, final);
  return outcomeOf({ sender, recipient, token, amount: BigInt(amount) }, final);
}

function contradiction(
  { status, minedHash, minedHeight, feePaid }: EndedRow,
  { height }: FinalTransaction,
  end: PaymentOutcome | null,
): string | null {
  if (end?.succeeded !== (status === 'succeeded')) return `${status} as ${minedHash}, but the chain shows the opposite`;
  if (height !== Number(minedHeight)) return `was mined in block ${minedHeight}, and the chain has it in ${height}`;
  return end.cost === BigInt(feePaid) ? null : `cost ${feePaid}, and the chain took ${end.cost}`;
}

/** Returns the first expired, abandoned or superseded transaction that was mined, although its order was freed. */
async function givenUpBreach(database: Database, { chainRef, client }: AuditedExpiringChain): Promise<Finding | null> {
  for (let above = ''; ;) {
    const dead = await database.rows(nextGivenUp({ chainRef, above, limit: TRANSACTIONS_AT_ONCE }));
    const hashes = dead.flatMap((each) => each.hashes.map((hash) => ({ ...each, hash })));
    const finals = await client.finalTransactionsOf(
      hashes.map(({ hash }) => hash),
      [],
    );
    for (const [place, { id, status, hash }] of hashes.entries()) {
      if (finals[place] === null || finals[place] === undefined) continue;
      return { row: `chain_transaction ${id}`, says: `is ${status}, but is on the chain as ${hash}` };
    }
    above = dead.at(-1)?.id ?? above;
    if (dead.length < TRANSACTIONS_AT_ONCE) return null;
  }
}

/** Returns a hot wallet of which the chain has a transaction that is not recorded: somebody else uses its key. */
export async function findForeignSpending(
  database: Database,
  { chainRef, client }: AuditedExpiringChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const [wallet] = await database.rows(findWalletAddress(chainRef));
  if (wallet === undefined) return null;
  const { sent, completeUpTo } = await client.sentBy(wallet.addressKey, 0);
  if (completeUpTo === 0) unasked('The node does not have the whole history of the hot wallet.');
  const hashes = sent.map(({ txHash }) => txHash);
  const recorded = new Set((await database.rows(findRecorded(chainRef, hashes))).map(({ txHash }) => txHash));
  const foreign = hashes.find((hash) => !recorded.has(hash));
  if (foreign === undefined) return null;
  return { row: `hot_wallet ${chainRef}`, says: `has sent ${foreign}, which is not recorded` };
}
