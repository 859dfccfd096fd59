import * as fc from 'fast-check';
import { FakeNode } from '../../../test/support/fake-node.js';
import { ChainUnavailable, type Sighting } from '../chain.js';
import { EvmChainClient } from './evm-chain-client.js';
import { TRANSFER_TOPIC } from './transfer-log.js';

const TOKEN = `0x${'a1'.repeat(20)}`;
const OTHER_TOKEN = `0x${'a2'.repeat(20)}`;
const PAYER = `0x${'b2'.repeat(20)}`;
const WALLET = `0x${'c3'.repeat(20)}`;
const STRANGER = `0x${'d4'.repeat(20)}`;
const BLOCK = { height: 100, hash: `0x${'01'.repeat(32)}` };
const OTHER_HASH = `0x${'09'.repeat(32)}`;
const TX_A = `0x${'0a'.repeat(32)}`;
const TX_B = `0x${'0b'.repeat(32)}`;

type Log = ReturnType<typeof transferLog>;

/** A log of the block: its transaction, its index in the block, its recipient and amount. */
function transferLog(transactionHash: string, logIndex: number, to: string, amount: bigint, address = TOKEN) {
  return {
    address,
    topics: [TRANSFER_TOPIC, topicOf(PAYER), topicOf(to)],
    data: `0x${amount.toString(16).padStart(64, '0')}`,
    blockHash: BLOCK.hash,
    transactionHash,
    logIndex: `0x${logIndex.toString(16)}`,
    removed: false,
  };
}

function topicOf(address: string): string {
  return `0x${'0'.repeat(24)}${address.slice(2)}`;
}

/** A block of two transactions: A pays us twice around a stranger, B pays us once after a log of another contract. */
const LOGS: readonly Log[] = [
  transferLog(TX_A, 0, WALLET, 5n),
  transferLog(TX_A, 1, STRANGER, 6n),
  transferLog(TX_A, 2, WALLET, 7n),
  transferLog(TX_B, 3, WALLET, 8n, OTHER_TOKEN),
  transferLog(TX_B, 4, WALLET, 9n),
];

const SIGHTINGS: readonly Sighting[] = [
  { txHash: TX_A, position: 0, token: TOKEN, from: PAYER, to: WALLET, amount: 5n },
  { txHash: TX_A, position: 2, token: TOKEN, from: PAYER, to: WALLET, amount: 7n },
  { txHash: TX_B, position: 1, token: TOKEN, from: PAYER, to: WALLET, amount: 9n },
];

function honestReceipt(transactionHash: string) {
  const own = LOGS.filter((log) => log.transactionHash === transactionHash);
  return { transactionHash, blockHash: BLOCK.hash, status: '0x1', logs: own };
}

describe('transfersIn on a node that lies', () => {
  let node: FakeNode;
  let client: EvmChainClient;
  let logs: readonly unknown[];
  let receiptOf: (txHash: string) => Record<string, unknown> | null;

  beforeEach(async () => {
    logs = LOGS;
    receiptOf = honestReceipt;
    node = await FakeNode.start({
      eth_getBlockTransactionCountByHash: (hash) => (hash === BLOCK.hash ? '0x2' : null),
      eth_getLogs: () => logs,
      eth_getTransactionReceipt: (txHash) => receiptOf(String(txHash)),
    });
    client = new EvmChainClient({ profile: { network: 'polygon', finality: { minDepth: 32 } }, rpcUrl: node.url });
  });

  afterEach(async () => {
    await client.close();
    await node.stop();
  });

  const read = (tokens: readonly string[] = [TOKEN]) => client.transfersIn(BLOCK, tokens, (to) => to === WALLET);

  it('returns the transfers to us, by receipt position and in the order of the block, in two requests', async () => {
    await expect(read()).resolves.toEqual(SIGHTINGS);
    expect(node.requests.map(({ questions }) => questions.map(({ method }) => method))).toEqual([
      ['eth_getBlockTransactionCountByHash', 'eth_getLogs'],
      ['eth_getTransactionReceipt', 'eth_getTransactionReceipt'],
    ]);
    const filter = { blockHash: BLOCK.hash, address: [TOKEN], topics: [TRANSFER_TOPIC] };
    expect(node.requests[0]?.questions[1]?.params).toEqual([filter]);
  });

  it('reads no receipt when no transfer is ours, and nothing at all when no token is listed', async () => {
    await expect(client.transfersIn(BLOCK, [TOKEN], () => false)).resolves.toEqual([]);
    expect(node.requests).toHaveLength(1);
    await expect(read([])).resolves.toEqual([]);
    expect(node.requests).toHaveLength(1);
  });

  it('[F-67] rejects an empty list of logs from a node that does not have the block', async () => {
    logs = [];
    const unknown = { height: 101, hash: OTHER_HASH };
    await expect(client.transfersIn(unknown, [TOKEN], () => true)).rejects.toThrow(`has no block ${OTHER_HASH}`);
  });

  it('[F-67] is unavailable when the node refuses a hash it does not know', async () => {
    node.methods = {
      ...node.methods,
      eth_getLogs: () => {
        throw new Error('unknown block');
      },
    };
    await expect(read()).rejects.toThrow(ChainUnavailable);
  });

  it('[F-67] is unavailable when a log belongs to another block', async () => {
    logs = [...LOGS, { ...transferLog(TX_B, 5, STRANGER, 1n), blockHash: OTHER_HASH }];
    await expect(read()).rejects.toThrow('with those of another');
  });

  it('[F-69] treats a missing receipt as unknown, and reads the transfers once the node has it', async () => {
    receiptOf = (txHash) => (txHash === TX_B ? null : honestReceipt(txHash));
    await expect(read()).rejects.toThrow(ChainUnavailable);
    receiptOf = honestReceipt;
    await expect(read()).resolves.toEqual(SIGHTINGS);
  });

  it('[F-72] reads the same from logs that are shuffled, repeated and partly removed', async () => {
    const order = fc.shuffledSubarray([...LOGS, ...LOGS], { minLength: LOGS.length * 2 });
    const takenBack = fc.subarray([...LOGS]).map((some) => some.map((log) => ({ ...log, removed: true })));
    await fc.assert(
      fc.asyncProperty(order, takenBack, async (shuffled, removed) => {
        logs = [...shuffled, ...removed];
        await expect(read()).resolves.toEqual(SIGHTINGS);
      }),
      { numRuns: 50 },
    );
  });

  it('[F-72] is unavailable when a log of a canonical block is only listed as removed', async () => {
    logs = LOGS.map((log, index) => ({ ...log, removed: index === 0 }));
    await expect(read()).rejects.toThrow('marks logs');
  });

  it('[G-83] ignores other contracts that a node returns in spite of the filter', async () => {
    logs = LOGS.filter((log) => log.address === OTHER_TOKEN);
    await expect(read()).resolves.toEqual([]);
  });

  it('[G-84] counts no transfer of a failed transaction', async () => {
    receiptOf = (txHash) => ({ ...honestReceipt(txHash), status: txHash === TX_A ? '0x0' : '0x1' });
    await expect(read()).resolves.toEqual(SIGHTINGS.filter(({ txHash }) => txHash === TX_B));
  });

  it.each<[string, (receipt: ReturnType<typeof honestReceipt>) => Record<string, unknown>]>([
    ['of another block', (receipt) => ({ ...receipt, blockHash: OTHER_HASH })],
    ['of another transaction', (receipt) => ({ ...receipt, transactionHash: OTHER_HASH })],
    ['without a status', ({ status: _status, ...receipt }) => receipt],
    ['without the log', (receipt) => ({ ...receipt, logs: [] })],
    [
      'with another amount',
      (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })) }),
    ],
    [
      'with a log of another transaction',
      (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, transactionHash: OTHER_HASH })) }),
    ],
    [
      'with a log of another block',
      (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, blockHash: OTHER_HASH })) }),
    ],
  ])('is unavailable when the receipt is one %s', async (_name, spoil) => {
    receiptOf = (txHash) => spoil(honestReceipt(txHash));
    await expect(read()).rejects.toThrow(ChainUnavailable);
  });

  it('is unavailable when the receipt has a transfer to us that the logs of the block leave out', async () => {
    logs = LOGS.filter((log) => log.logIndex !== '0x2');
    await expect(read()).rejects.toThrow('contradict each other');
  });

  it.each([
    ['null', null],
    ['an object', { logs: [] }],
    ['logs without a place', [{ ...LOGS[0], transactionHash: undefined }]],
  ])('is unavailable when the answer for the logs is %s', async (_name, answer) => {
    node.methods = { ...node.methods, eth_getLogs: () => answer };
    await expect(read()).rejects.toThrow(ChainUnavailable);
  });
});
