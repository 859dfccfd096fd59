import type { SentAction, SentBytes } from '../../chains/expiring-sent.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { type Database, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { insertProof, lockExpiring, markExpired } from '../../treasury/expiring/expiring-payments.sql.js';
import type { ExpiringChain } from '../../treasury/treasury-chains.service.js';
import { freezeWallet } from '../../treasury/wallets/wallet-freeze.js';
import { reopenOrder } from '../superseded-orders.js';
import { type HistoryProof, provenByHistory } from './history-proof.js';
import { signedPayments, signedStakes, signedSweeps } from './signed-rivals.sql.js';

type SignedRow = RowOf<typeof signedPayments>;

/** A transaction that is signed here for what another one did, and proven never to be mined. */
export interface DeadRival extends HistoryProof {
  readonly txHash: string;
}

/**
 * Finds the transactions that are signed here for exactly what an unrecorded one did, or to be paid by the coins of the same
 * deposit address, and proves that they are never mined.
 * A transaction excludes no other on such a chain: only its expiry does, so each of them must be proven.
 * @throws DomainError invalid_state_transition for one that may still be mined
 */
export async function deadRivals(
  database: Database,
  chain: ExpiringChain,
  { action, sender }: Pick<SentBytes, 'action' | 'sender'>,
): Promise<readonly DeadRival[]> {
  const proven: DeadRival[] = [];
  for (const rival of await rivalsOf(database, chain, action, sender)) {
    const signedFor = action.kind === 'sweep' ? 'a sweep of the same balances or sender' : 'the same';
    proven.push(await provenDead(chain, rival, signedFor));
  }
  return proven;
}

/**
 * Proves that a signed transaction is never mined.
 * @param signedFor what it was signed for, as a part of the refusal
 * @throws DomainError invalid_state_transition for one that may still be mined
 */
export async function provenDead(
  chain: ExpiringChain,
  { id, txHash, sender, afterHeight, afterHash, until }: SignedRow,
  signedFor: string,
): Promise<DeadRival> {
  const expiry = { after: { height: Number(afterHeight), hash: afterHash }, until: Number(until) };
  const attempt = { transactionId: id, txHash, sender, expiry };
  return { ...(await provenByHistory(chain, attempt, signedFor)), txHash };
}

/**
 * Ends a dead transaction, and freezes the wallet. The order of a payment waits unsigned again, the one of a stake ends. Joins
 * the caller's transaction.
 */
export async function freeOrder(
  tx: Tx,
  chainRef: string,
  dead: DeadRival,
  { actor, reason }: StaffOrder,
): Promise<void> {
  if (!(await endDead(tx, dead))) return;
  const { transactionId, txHash, nodes } = dead;
  const details = { chain: chainRef, hash: txHash, nodes: String(nodes) };
  await recordAction(tx, { actor, reason, action: 'transaction.supersede', subject: transactionId, details });
  // Another unrecorded transaction may have paid its order.
  const what = `${transactionId} is never mined, and an unrecorded transaction did the same`;
  await freezeWallet(tx, chainRef, `${what}: adopt every unrecorded transaction before more is signed.`);
}

/** Ends a dead transaction and reopens its order; returns false when it has ended. Joins the caller's transaction. */
export async function endDead(tx: Tx, { transactionId, until, nodes }: HistoryProof): Promise<boolean> {
  const [open] = await rows(tx, lockExpiring(transactionId));
  if (open === undefined) return false;
  await rows(tx, insertProof({ transactionId, until, nodes }));
  await rows(tx, markExpired(transactionId));
  await reopenOrder(tx, open);
  return true;
}

async function rivalsOf(
  database: Database,
  { chainRef }: ExpiringChain,
  action: SentAction,
  sender: string,
): Promise<readonly SignedRow[]> {
  if (action.kind === 'payment') return database.rows(signedPayments(chainRef, action));
  if (action.kind === 'stake') return database.rows(signedStakes(chainRef, action));
  return action.kind === 'sweep' ? database.rows(signedSweeps(chainRef, action.items, sender)) : [];
}
