import { ChainUnavailable } from '../../chains/chain.js';
import type { Presence } from '../../chains/transfer-presence.js';
import type { ReorgedDeposits } from '../../suspense/reorged-deposits.service.js';
import { CommandFailure } from '../command.js';

const SAID: Readonly<Record<Presence, string>> = {
  there: 'A node has the deposit in a final block.',
  gone: 'Every node that answers is without the deposit.',
  unknown:
    'The nodes cannot answer for certain yet: neither its transaction nor one that replaces it is in a final block.',
};

/**
 * Asks the nodes for a deposit before an operator decides about it, and marks it by their answer. If no node of its chain
 * is configured for this command, the mark of the workers stays.
 * @throws CommandFailure when the answer is not the expected one, or no node answers.
 */
export async function expectOfChain(expected: 'gone' | 'there', id: string, deposits: ReorgedDeposits): Promise<void> {
  try {
    const said = await deposits.checkOne(id);
    if (said !== null && said !== expected) throw new CommandFailure(SAID[said]);
  } catch (cause) {
    if (!(cause instanceof ChainUnavailable)) throw cause;
    throw new CommandFailure(
      'No node of its chain answers.',
      'try again once npx coffer doctor shows a node that answers',
      { cause },
    );
  }
}
