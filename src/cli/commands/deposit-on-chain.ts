import { ChainUnavailable } from '../../chains/chain.js';
import type { Presence } from '../../chains/transfer-presence.js';
import type { ReorgedDeposits } from '../../suspense/reorged-deposits.service.js';
import { CommandFailure } from '../command.js';

const SAID: Readonly<Record<Presence, string>> = {
  there: 'A node holds it in a final block.',
  gone: 'Every node that answers is without it.',
  unknown:
    'The nodes cannot tell for certain yet: its transaction is not in a final block, nor is what stands in its place.',
};

/**
 * Asks the nodes for a deposit before staff decide about it, and marks it by their word. Where no node of its chain is
 * configured for this command, the mark is left as the workers set it.
 * @throws CommandFailure when they say otherwise, or none answers.
 */
export async function expectOfChain(expected: 'gone' | 'there', id: string, deposits: ReorgedDeposits): Promise<void> {
  try {
    const said = await deposits.checkOne(id);
    if (said !== null && said !== expected) throw new CommandFailure(SAID[said]);
  } catch (cause) {
    if (!(cause instanceof ChainUnavailable)) throw cause;
    throw new CommandFailure('No node of its chain answers.', 'try again once one does: npx coffer doctor', { cause });
  }
}
