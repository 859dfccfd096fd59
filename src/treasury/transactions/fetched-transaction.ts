import { type BlockHeader, ChainUnavailable } from '../../chains/chain.js';
import { DomainError } from '../../domain/errors.js';
import { readSent, type DecodedTransaction } from '../../chains/evm/sent-transaction.js';
import type { TreasuryChain } from '../treasury-chains.service.js';

/** A transaction that the chain's nodes have. */
export interface FetchedTransaction extends DecodedTransaction {
  /** The block that contains it; null while none does. */
  readonly block: BlockHeader | null;
}

/**
 * Fetches a transaction from the chain's nodes, mined or not, verified by its hash.
 * @throws DomainError not_found when no node has it; invalid_state_transition when its type is not supported, or when
 * another transaction took its nonce and it will never be mined; ChainUnavailable
 */
export async function fetchSent({ nodes }: Pick<TreasuryChain, 'nodes'>, txHash: string): Promise<FetchedTransaction> {
  const asked = await nodes.attempt(({ client }) => client.outgoing.transaction(txHash));
  const found = asked ?? (await nodes.ask(({ outgoing }) => outgoing.transaction(txHash)))[0]?.answer;
  if (found === undefined) throw new DomainError('not_found', `No node of this chain has transaction ${txHash}.`);
  const sent = found.raw === null ? null : readSent(found.raw);
  if (sent === null) throw refusal('This type of transaction is not supported: somebody else sent it.');
  const place = await nodes.attempt(async ({ client }) => {
    const mined = await client.outgoing.nonceAt(await client.head(), sent.sender);
    const [receipt] = await client.outgoing.receiptsOf([txHash]);
    if (receipt === null || receipt === undefined) return { isOutrun: sent.fields.nonce < mined, block: null };
    const header = await client.headerAt(receipt.height);
    if (header === null) throw new ChainUnavailable(`The node has no block ${receipt.height}, which holds ${txHash}.`);
    return { isOutrun: false, block: header };
  });
  if (place.isOutrun)
    throw refusal(`Its nonce ${sent.fields.nonce} was used by another transaction: it will never be mined.`);
  return { ...sent, block: place.block };
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
