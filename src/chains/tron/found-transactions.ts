import { z } from 'zod';
import { ChainUnavailable } from '../chain.js';
import { infoShape, parsed, transactionShape } from './answer-shapes.js';
import { headerIn, isEmpty } from './block-header.js';
import type { FoundTransaction } from './final-transaction.js';
import type { TronHttp } from './tron-http.js';

type Http = Pick<TronHttp, 'ask'>;
type FoundBlock = Pick<FoundTransaction, 'block'> & { readonly transactions: readonly unknown[] };

const namedShape = z.object({ txID: z.string() });
const listShape = z.object({ transactions: z.array(z.unknown()).default([]) });

/**
 * Returns transactions with their final blocks and infos, in the order asked; null for one that the node does not know as
 * final. A block has up to a megabyte, so each is read once.
 * @throws ChainUnavailable when a block lacks a transaction that an info says it has
 */
export async function foundTransactions(
  http: Http,
  txHashes: readonly string[],
): Promise<readonly (FoundTransaction | null)[]> {
  const infos = await Promise.all(txHashes.map((hash) => infoOf(http, hash)));
  const blocks = new Map<number, FoundBlock>();
  for (const height of new Set(infos.flatMap((info) => info?.blockNumber ?? []))) {
    blocks.set(height, await finalBlock(http, height));
  }
  return infos.map((info) => {
    if (info === null) return null;
    const found = blocks.get(info.blockNumber);
    const transaction = found?.transactions.find((one) => namedShape.safeParse(one).data?.txID === info.id);
    if (found === undefined || transaction === undefined) {
      throw new ChainUnavailable(`The node's block ${info.blockNumber} does not have ${info.id}.`);
    }
    return { transaction: parsed(transactionShape, transaction, 'transaction'), info, block: found.block };
  });
}

async function infoOf(http: Http, txHash: string): Promise<FoundTransaction['info'] | null> {
  const answer = await http.ask('walletsolidity', 'gettransactioninfobyid', { value: txHash });
  if (isEmpty(answer)) return null;
  const info = parsed(infoShape, answer, 'info');
  if (info.id === txHash) return info;
  throw new ChainUnavailable('The node returned the info of another transaction.');
}

async function finalBlock(http: Http, height: number): Promise<FoundBlock> {
  const answer = await http.ask('walletsolidity', 'getblockbynum', { num: height });
  const block = headerIn(answer);
  if (block.height !== height) throw new ChainUnavailable(`The node answered block ${height} with ${block.height}.`);
  return { block, transactions: parsed(listShape, answer, 'block').transactions };
}
