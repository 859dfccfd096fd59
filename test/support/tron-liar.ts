import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { blockIdOf } from '../../src/devtools/devnet/tron/chain/block.js';

/** Changes the honest answer to a call, such as `walletsolidity/getblock`. */
export type TronLie = (path: string, answer: unknown, params: Readonly<Record<string, unknown>>) => unknown;

/** A node of Tron in front of another one, whose answers a spec changes. */
export class TronLiar {
  /** Honest until a spec sets it. */
  lie: TronLie = (_path, answer) => answer;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
    readonly url: string,
  ) {
    server.on('request', (request, response) => {
      this.serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<TronLiar> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The node does not listen.');
    return new TronLiar(server, target, `http://127.0.0.1:${address.port}`);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const params = (await json(request)) as Readonly<Record<string, unknown>>;
    const path = (request.url ?? '').slice(1);
    const answer: unknown = await (
      await fetch(`${this.target}/${path}`, { method: 'POST', body: JSON.stringify(params) })
    ).json();
    response.end(JSON.stringify(this.lie(path, answer, params)));
  }
}

interface ShownBlock {
  readonly blockID: string;
  readonly block_header: { readonly raw_data: Readonly<Record<string, unknown>> };
  readonly transactions?: readonly { readonly txID: string }[];
}

const RAW_HEADER = z.looseObject({
  number: z.number(),
  timestamp: z.number(),
  parentHash: z.string(),
  txTrieRoot: z.string(),
  witness_address: z.string(),
  version: z.number(),
});
type RawHeader = z.infer<typeof RAW_HEADER>;
const SHOWN_BLOCK = z.looseObject({ block_header: z.looseObject({ raw_data: RAW_HEADER }) });

/** Returns a block with a changed header and the id of that header, as a node has it that made the block up. */
export function forgedBlock(block: unknown, change: (header: RawHeader) => Partial<RawHeader>): ShownBlock {
  const { block_header, ...shown } = SHOWN_BLOCK.parse(block);
  const raw_data: RawHeader = { ...block_header.raw_data, ...change(block_header.raw_data) };
  const { number, timestamp: time, parentHash: parentId, txTrieRoot, witness_address: witness, version } = raw_data;
  const blockID = blockIdOf({ number, time, parentId, transactionRoot: txTrieRoot, witness, version });
  return { ...shown, blockID, block_header: { ...block_header, raw_data } };
}

/** Whether an answer is a block, and not `{}`. */
const isBlock = (answer: unknown): answer is ShownBlock =>
  typeof answer === 'object' && answer !== null && 'blockID' in answer;

/** Changes every final block that is shown, alone or in a list; null leaves it out. */
export const changingBlocks =
  (change: (block: ShownBlock) => unknown): TronLie =>
  (path, answer) => {
    if (!path.startsWith('walletsolidity/getblock')) return answer;
    if (isBlock(answer)) return change(answer) ?? {};
    if (typeof answer !== 'object' || answer === null || !('block' in answer)) return answer;
    const blocks = answer.block as readonly ShownBlock[];
    return { block: blocks.map(change).filter((block) => block !== null) };
  };

/**
 * The final blocks above a height are made up: each has a changed header and follows the one before. They must be asked for in
 * their order.
 */
export function forkingAbove(height: number, change: (header: RawHeader) => Partial<RawHeader>): TronLie {
  const forged = new Map<string, string>();
  return changingBlocks((block) => {
    if (heightOf(block) <= height) return block;
    const other = forgedBlock(block, (header) => ({
      parentHash: forged.get(header.parentHash) ?? header.parentHash,
      ...change(header),
    }));
    forged.set(block.blockID, other.blockID);
    return other;
  });
}

/** The newest block, which is not final, has a changed header and its id. */
export const changingHead =
  (change: (header: RawHeader) => Partial<RawHeader>): TronLie =>
  (path, answer, params) =>
    path === 'wallet/getblock' && params['id_or_num'] === undefined ? forgedBlock(answer, change) : answer;

/** The node has no final block above this height. */
export const endingAt = (height: number): TronLie =>
  changingBlocks((block) => (heightOf(block) > height ? null : block));

/** The node has dropped this block. */
export const withoutBlock = (height: number): TronLie =>
  changingBlocks((block) => (heightOf(block) === height ? null : block));

/** The node shows no transaction anywhere. */
export const hidingTransactions: TronLie = (path, answer, params) => {
  if (path.includes('gettransaction')) return {};
  return changingBlocks(({ transactions: _hidden, ...block }) => block)(path, answer, params);
};

/** The node knows no transaction by its id, and shows its blocks honestly. */
export const knowingNone: TronLie = (path, answer) => (path.includes('gettransaction') ? {} : answer);

/** The node has nothing at all. */
export const knowingNothing: TronLie = () => ({});

const heightOf = ({ blockID }: ShownBlock): number => Number.parseInt(blockID.slice(0, 16), 16);
