import { DomainError } from '../domain/errors.js';
import { readSent, type SentTransaction } from './sent-transaction.js';
import type { TreasuryChain } from './treasury-chains.service.js';

/**
 * A transaction as the chain's nodes have it, mined or not, proven by its hash.
 * @throws DomainError not_found when no node knows it; invalid_state_transition when the vault cannot have signed it, or
 * when it will never be mined because another took its nonce; ChainUnavailable
 */
export async function fetchSent({ nodes }: Pick<TreasuryChain, 'nodes'>, txHash: string): Promise<SentTransaction> {
  const asked = await nodes.attempt(({ client }) => client.outgoing.transaction(txHash));
  const found = asked ?? (await nodes.ask(({ outgoing }) => outgoing.transaction(txHash)))[0]?.answer;
  if (found === undefined) throw new DomainError('not_found', `No node of this chain knows transaction ${txHash}.`);
  const sent = found.raw === null ? null : readSent(found.raw);
  if (sent === null) throw refusal('The vault signs no transaction of this kind: somebody else sent it.');
  const isOutrun = await nodes.attempt(async ({ client }) => {
    const mined = await client.outgoing.nonceAt(await client.head(), sent.sender);
    const [receipt] = await client.outgoing.receiptsOf([txHash]);
    return receipt === null && sent.fields.nonce < mined;
  });
  if (isOutrun)
    throw refusal(`Its nonce ${sent.fields.nonce} was used by another transaction: it will never be mined.`);
  return sent;
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
