import { isDeepStrictEqual } from 'node:util';
import { ChainUnavailable } from '../../chains/chain.js';
import type { SentBytes } from '../../chains/expiring-sent.js';
import type { FinalTransaction } from '../../chains/expiring.js';
import { DomainError } from '../../domain/errors.js';
import type { ExpiringChain } from '../../treasury/treasury-chains.service.js';

/** A transaction in a final block, as the nodes agree on it. */
export interface ProvenSent {
  readonly bytes: SentBytes;
  /** What it changed, of the chain's listed tokens and the coin. */
  readonly final: FinalTransaction;
  /** The time of its block. */
  readonly minedAt: Date;
}

/**
 * Fetches a transaction from the nodes: all that have it agree on its block and on what it changed, and they are two where
 * there are two. Its bytes are proven by their signature.
 * @throws DomainError not_found when no node has it in a final block; invalid_state_transition when the nodes do not agree, or
 * when its bytes cannot be read; ChainUnavailable
 */
export async function provenSent(
  { nodes }: Pick<ExpiringChain, 'nodes'>,
  txHash: string,
  tokens: readonly string[],
): Promise<ProvenSent> {
  const answers = await nodes.ask(async (client) => (await client.finalTransactionsOf([txHash], tokens))[0] ?? null);
  const [first, ...others] = answers.map(({ answer }) => answer);
  if (first === undefined)
    throw new DomainError('not_found', `No node of this chain has transaction ${txHash} in a final block.`);
  if (!others.every((other) => isDeepStrictEqual(other, first)))
    throw refusal('The nodes do not agree on what it did: try again later, or remove the one that is wrong.');
  if (answers.length < Math.min(2, nodes.count))
    throw refusal('Only one node has it in a final block: try again once a second one shows it.');
  const [read] = await nodes.ask((client) => client.sentBytesOf(txHash));
  if (read === undefined) throw new ChainUnavailable(`No node returned the bytes of transaction ${txHash}.`);
  if (read.answer === 'unreadable') throw refusal('This form of transaction is not supported: somebody else sent it.');
  return { bytes: read.answer, final: first, minedAt: await timeOf({ nodes }, first) };
}

async function timeOf(
  { nodes }: Pick<ExpiringChain, 'nodes'>,
  { height, blockHash }: Pick<FinalTransaction, 'height' | 'blockHash'>,
): Promise<Date> {
  const headers = await nodes.ask((client) => client.headerAt(height));
  const header = headers.find(({ answer: { hash } }) => hash === blockHash)?.answer;
  if (header === undefined) throw new ChainUnavailable(`No node returned the time of block ${height}.`);
  return header.time;
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
