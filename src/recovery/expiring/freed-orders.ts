import type { SentAction } from '../../chains/expiring-sent.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { type Database, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { insertProof, lockExpiring, markExpired } from '../../treasury/expiring/expiring-payments.sql.js';
import type { ExpiringChain } from '../../treasury/treasury-chains.service.js';
import { freezeWallet } from '../../treasury/wallets/wallet-freeze.js';
import { reopenOrder } from '../superseded-orders.js';
import { type HistoryProof, provenByHistory } from './history-proof.js';
import { signedPayments, signedSweeps } from './signed-rivals.sql.js';

/** A transaction that is signed here for what another one did, and proven never to be mined. */
export interface DeadRival extends HistoryProof {
  readonly txHash: string;
}

/**
 * Finds the transactions that are signed here for exactly what an unrecorded one did, and proves that they are never mined.
 * A transaction excludes no other on such a chain: only its expiry does, so each of them must be proven.
 * @throws DomainError invalid_state_transition for one that may still be mined
 */
export async function deadRivals(
  database: Database,
  chain: ExpiringChain,
  action: SentAction,
): Promise<readonly DeadRival[]> {
  const proven: DeadRival[] = [];
  for (const { id, txHash, sender, afterHeight, afterHash, until } of await rivalsOf(database, chain, action)) {
    const expiry = { after: { height: Number(afterHeight), hash: afterHash }, until: Number(until) };
    const attempt = { transactionId: id, txHash, sender, expiry };
    proven.push({ ...(await provenByHistory(chain, attempt)), txHash });
  }
  return proven;
}

/** Ends a dead transaction. Its order waits unsigned again, and the wallet is frozen. Joins the caller's transaction. */
export async function freeOrder(
  tx: Tx,
  chainRef: string,
  { transactionId, txHash, until, nodes }: DeadRival,
  { actor, reason }: StaffOrder,
): Promise<void> {
  const [open] = await rows(tx, lockExpiring(transactionId));
  if (open === undefined) return;
  const details = { chain: chainRef, hash: txHash, nodes: String(nodes) };
  await recordAction(tx, { actor, reason, action: 'transaction.supersede', subject: transactionId, details });
  await rows(tx, insertProof({ transactionId, until, nodes }));
  await rows(tx, markExpired(transactionId));
  await reopenOrder(tx, open);
  // Another unrecorded transaction may have paid its order.
  const what = `${transactionId} is never mined, and an unrecorded transaction did the same`;
  await freezeWallet(tx, chainRef, `${what}: adopt every unrecorded transaction before more is signed.`);
}

async function rivalsOf(
  database: Database,
  { chainRef }: ExpiringChain,
  action: SentAction,
): Promise<readonly RowOf<typeof signedPayments>[]> {
  if (action.kind === 'payment') return database.rows(signedPayments(chainRef, action));
  return action.kind === 'sweep' ? database.rows(signedSweeps(chainRef, action.items)) : [];
}
