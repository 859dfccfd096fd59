import type { AccountClient } from '../../../chains/accounts.js';
import { NodeBehind } from '../../../chains/chain.js';
import type { QuestionedBlock } from '../node-reports.js';

/**
 * Returns the ids of the deposits that the node reports too, in the same final block.
 * @throws ChainUnavailable when the node does not have the block as final, or a transaction of it, and so has no opinion.
 */
export async function reportedByAccounts(
  client: AccountClient,
  { height, hash, deposits }: QuestionedBlock,
): Promise<ReadonlySet<string>> {
  const block = (await client.finalBlocksAt([height])).get(height);
  if (block === undefined) throw new NodeBehind('The node does not know the final block.');
  if (block?.hash !== hash) return new Set();
  const tokens = [...new Set(deposits.map(({ token }) => token))];
  const hashes = deposits.map(({ txHash }) => txHash ?? '');
  const transactions = await client.transactionsOf(hashes, tokens);
  const reported = deposits.filter(({ position, token, amount, to }, place) => {
    const transaction = transactions[place];
    if (transaction === undefined || typeof transaction === 'string') {
      throw new NodeBehind('The node has the block, and does not return its transaction.');
    }
    const isThere = transaction.transfers.some(
      (transfer) =>
        transfer.position === position &&
        transfer.token === token &&
        transfer.amount === amount &&
        (transfer.owner ?? to) === to,
    );
    return transaction.height === height && isThere;
  });
  return new Set(reported.map(({ id }) => id));
}
