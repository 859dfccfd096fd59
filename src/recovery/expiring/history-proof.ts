import type { LiveAttempt } from '../../chains/expiring.js';
import { DomainError } from '../../domain/errors.js';
import type { ExpiringChain, ExpiringNode } from '../../treasury/treasury-chains.service.js';

/** A signed transaction that is not final. */
export interface SignedAttempt extends LiveAttempt {
  readonly transactionId: string;
  readonly sender: string;
}

/** The proof that a transaction is never mined, by this many nodes. */
export interface HistoryProof {
  readonly transactionId: string;
  readonly until: number;
  readonly nodes: number;
}

/**
 * Proves by the history of its sender that a transaction is never mined: final blocks have passed its expiry, and the complete
 * list of what the sender had in final blocks since its bytes were made lacks it. Unlike `isDead` it needs no old blocks, which
 * nodes drop soon; so only an operator asks for it, and all nodes that answer must say it, two where there are two.
 * @param signedFor what it was signed for, as a part of the refusal
 * @throws DomainError invalid_state_transition when they do not
 */
export async function provenByHistory(
  { nodes }: Pick<ExpiringChain, 'nodes'>,
  attempt: SignedAttempt,
  signedFor: string,
): Promise<HistoryProof> {
  const answers = await nodes.ask((client) => isAbsent(client, attempt));
  const { txHash, transactionId, expiry } = attempt;
  if (answers.length < Math.min(2, nodes.count) || answers.length === 0 || !answers.every(({ answer }) => answer)) {
    throw new DomainError(
      'invalid_state_transition',
      `${transactionId}, ${txHash}, was signed here for ${signedFor}, and the nodes do not prove that it is never mined: ` +
        'try again once final blocks are past its expiry, with nodes that have the whole history of its sender.',
    );
  }
  return { transactionId, until: expiry.until, nodes: answers.length };
}

/**
 * Whether the history of the sender, without a gap from the block after which the bytes were valid to one past their expiry,
 * lacks the transaction. Where the history ends is read by its own block: behind one address may be nodes of which one is ahead
 * of another, so the newest block does not say how far it reaches.
 */
async function isAbsent(client: ExpiringNode, { txHash, sender, expiry }: SignedAttempt): Promise<boolean> {
  const { after, until } = expiry;
  if ((await client.finalProgress()) <= until) return false;
  let readTo = after.height;
  let progress: number | null = 0;
  while (progress <= until) {
    const { sent, completeUpTo } = await client.sentBy(sender, readTo);
    if (completeUpTo <= readTo || sent.some((each) => each.txHash === txHash)) return false;
    readTo = completeUpTo;
    progress = await client.progressAt(readTo);
    if (progress === null) return false;
  }
  const [isKnown] = await client.areKnown([txHash]);
  return isKnown === false;
}
