import { keccak256 } from 'ethers';
import { FakeNode } from '../../../test/support/fake-node.js';
import { EvmChainClient } from './evm-chain-client.js';
import { TRANSFER_TOPIC } from './transfer-log.js';

const TOKEN = `0x${'a1'.repeat(20)}`;
const BLOCK = { height: 100, hash: `0x${'01'.repeat(32)}` };
const TX = `0x${'0a'.repeat(32)}`;
const LOG = {
  address: TOKEN,
  topics: [TRANSFER_TOPIC, `0x${'0'.repeat(24)}${'b2'.repeat(20)}`, `0x${'0'.repeat(24)}${'c3'.repeat(20)}`],
  data: `0x${'1'.padStart(64, '0')}`,
  blockHash: BLOCK.hash,
  transactionHash: TX,
  logIndex: '0x0',
  removed: false,
};
const RECEIPT = { transactionHash: TX, blockHash: BLOCK.hash, status: '0x1', logs: [LOG] };

/** Returns a bloom with exactly these items. */
function bloomOf(...items: readonly string[]): string {
  let bloom = 0n;
  for (const item of items) {
    const hash = Buffer.from(keccak256(item).slice(2), 'hex');
    for (const at of [0, 2, 4]) bloom |= 1n << BigInt(hash.readUInt16BE(at) & 2047);
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}

const SUSPICIOUS = bloomOf(TOKEN, TRANSFER_TOPIC);

describe('an empty list of logs that contradicts the bloom of the block [F-68]', () => {
  let node: FakeNode;
  /** Successive answers of `eth_getLogs`; the last one repeats. */
  let answers: (readonly unknown[])[];
  /** The answer of other nodes; each call is counted. */
  let others: (boolean | null)[];
  let askedOthers: number;
  let client: EvmChainClient;

  beforeEach(async () => {
    node = await FakeNode.start({
      eth_getBlockTransactionCountByHash: () => '0x1',
      eth_getLogs: () => (answers.length > 1 ? answers.shift() : answers[0]),
      eth_getTransactionReceipt: () => RECEIPT,
    });
    answers = [[]];
    others = [];
    askedOthers = 0;
    client = new EvmChainClient({
      profile: { network: 'polygon', finality: { minDepth: 0 } },
      rpcUrl: node.url,
      otherNodesSee: () => Promise.resolve(others[askedOthers++] ?? null),
    });
  });
  afterEach(async () => {
    await client.close();
    await node.stop();
  });

  const read = (logsBloom?: string) =>
    client.transfersIn({ ...BLOCK, ...(logsBloom !== undefined && { logsBloom }) }, [TOKEN], () => true);
  const timesAsked = (): number =>
    node.requests.flatMap(({ questions }) => questions).filter(({ method }) => method === 'eth_getLogs').length;

  it('is read once more when there is no other node, and the second answer counts', async () => {
    answers = [[], [LOG]];
    expect(await read(SUSPICIOUS)).toHaveLength(1);
    answers = [[]];
    expect(await read(SUSPICIOUS)).toEqual([]);
    expect(timesAsked()).toBe(4);
  });

  it('is accepted when another node sees nothing either', async () => {
    others = [false];
    expect(await read(SUSPICIOUS)).toEqual([]);
    expect([timesAsked(), askedOthers]).toEqual([1, 1]);
  });

  it('is rejected when another node sees transfers', async () => {
    others = [true];
    await expect(read(SUSPICIOUS)).rejects.toThrow('The node hides the logs of block');
  });

  it.each([
    ['the bloom holds no listed token', bloomOf(TRANSFER_TOPIC)],
    ['the bloom holds no transfer', bloomOf(TOKEN)],
    ['the node shows no bloom', undefined],
  ])('costs nothing where %s', async (_why, bloom) => {
    expect(await read(bloom)).toEqual([]);
    expect([timesAsked(), askedOthers]).toEqual([1, 0]);
  });

  it('is checked on another node by asking whether the block has any transfer', async () => {
    expect(await client.hasTransfers(BLOCK, [TOKEN])).toBe(false);
    answers = [[LOG]];
    expect(await client.hasTransfers(BLOCK, [TOKEN])).toBe(true);
    expect(await client.hasTransfers(BLOCK, [])).toBe(false);
  });
});
