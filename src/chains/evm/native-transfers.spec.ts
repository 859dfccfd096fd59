import * as fc from 'fast-check';
import { z } from 'zod';
import { AnvilNode } from '../../../test/support/anvil-node.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import {
  hexOf,
  type Mined,
  minedTransaction,
  ProbeContract,
  sendTransaction,
} from '../../../test/support/probe-contracts.js';
import { ChainUnavailable, type Sighting } from '../chain.js';
import { EvmChainClient } from './evm-chain-client.js';

const WALLET = `0x${'c3'.repeat(20)}`;
const OTHER_WALLET = `0x${'c4'.repeat(20)}`;
const STRANGER = `0x${'d4'.repeat(20)}`;
const PAYER = `0x${'b2'.repeat(20)}`;
const POLYGON = { network: 'polygon', finality: { minDepth: 3 } } as const;

const ours = (to: string): boolean => to === WALLET || to === OTHER_WALLET;
const hash = (byte: string): string => `0x${byte.repeat(32)}`;

describe("the chain's own coin on a real node", () => {
  let node: AnvilNode;
  let client: EvmChainClient;
  let purse: ProbeContract;
  let payer: string;

  beforeAll(async () => {
    node = await AnvilNode.start({ chainId: 80_002 });
    client = new EvmChainClient({ profile: POLYGON, rpcUrl: node.url });
    purse = await ProbeContract.deploy(node, 'Purse');
    [payer = ''] = await node.ask(z.array(z.string()), 'eth_accounts');
  });
  afterAll(async () => {
    await client.close();
    await node.stop();
  });

  const sightingsIn = ({ block }: Pick<Mined, 'block'>) => client.nativeTransfersIn(block, ours);
  const send = async (to: string, value: bigint): Promise<Mined> =>
    minedTransaction(node, await sendTransaction(node, { to, value: hexOf(value) }));
  /** Returns how much a transaction added to an address, by the balances of its block and of the one before. */
  const gain = async ({ block }: Mined, address: string): Promise<bigint> => {
    const before = await client.headerAt(block.height - 1);
    if (before === null) throw new Error('There is a block before.');
    const [had = 0n] = await client.balancesAt(before, [address]);
    const [has = 0n] = await client.balancesAt(block, [address]);
    return has - had;
  };

  it('is seen in the transaction that moves it, and nowhere else', async () => {
    await expect(sightingsIn(await send(STRANGER, 5n))).resolves.toEqual([]);
    const paid = await send(WALLET, 25n * 10n ** 18n);
    await expect(sightingsIn(paid)).resolves.toEqual([
      { txHash: paid.txHash, position: -1, token: 'native', from: payer, to: WALLET, amount: 25n * 10n ** 18n },
    ]);
    await expect(gain(paid, WALLET)).resolves.toBe(25n * 10n ** 18n);
    await expect(sightingsIn(await send(WALLET, 0n))).resolves.toEqual([]);
  });

  it('[G-93] shows only in the balance when contracts pass it on, or leave it behind', async () => {
    const forwarded = await purse.sendWith(7n, 'forward', [WALLET, OTHER_WALLET], [4n, 3n]);
    await expect(sightingsIn(forwarded)).resolves.toEqual([]);
    await expect(gain(forwarded, WALLET)).resolves.toBe(4n);
    await expect(gain(forwarded, OTHER_WALLET)).resolves.toBe(3n);
    const will = await ProbeContract.deploy(node, 'Purse');
    const bequeathed = await will.sendWith(6n, 'bequeath', WALLET);
    await expect(sightingsIn(bequeathed)).resolves.toEqual([]);
    await expect(gain(bequeathed, WALLET)).resolves.toBe(6n);
  });

  it('[G-93] shows only in the balance when it is the fee of the block producer', async () => {
    await node.send('anvil_setCoinbase', OTHER_WALLET);
    const paid = await send(STRANGER, 1n);
    await node.send('anvil_setCoinbase', `0x${'00'.repeat(20)}`);
    await expect(sightingsIn(paid)).resolves.toEqual([]);
    await expect(gain(paid, OTHER_WALLET)).resolves.toBeGreaterThan(0n);
  });

  it('[G-94] does not show when the inner call was reverted in a transaction that succeeded', async () => {
    const vain = await purse.sendWith(5n, 'payInVain', WALLET);
    await expect(sightingsIn(vain)).resolves.toEqual([]);
    await expect(gain(vain, WALLET)).resolves.toBe(0n);
  });

  it('[G-84] does not show when the transaction to us failed', async () => {
    await node.send('anvil_setCode', WALLET, '0x60006000fd');
    const failed = await send(WALLET, 5n);
    await node.send('anvil_setCode', WALLET, '0x');
    await expect(sightingsIn(failed)).resolves.toEqual([]);
    await expect(gain(failed, WALLET)).resolves.toBe(0n);
  });

  it('is read by the hash of the block: another one at its height is none', async () => {
    const { block } = await send(WALLET, 5n);
    const gone = { height: block.height, hash: hash('09') };
    await expect(client.nativeTransfersIn(gone, ours)).rejects.toThrow(ChainUnavailable);
    await expect(client.balancesAt(gone, [WALLET])).rejects.toThrow(ChainUnavailable);
    const wrongHeight = { height: block.height + 1, hash: block.hash };
    await expect(client.nativeTransfersIn(wrongHeight, ours)).rejects.toThrow(ChainUnavailable);
  });
});

describe("the chain's own coin on a node that lies", () => {
  const BLOCK = { height: 100, hash: hash('01') };
  const TX_A = hash('0a');
  const TX_B = hash('0b');

  /** A transaction of the block. */
  function transaction(txHash: string, to: string | null, value: bigint) {
    return { hash: txHash, blockHash: BLOCK.hash, from: PAYER, to, value: hexOf(value) };
  }

  const TRANSACTIONS = [
    transaction(TX_A, WALLET, 5n),
    transaction(hash('0c'), STRANGER, 6n),
    transaction(hash('0d'), null, 7n),
    transaction(TX_B, OTHER_WALLET.toUpperCase().replace('0X', '0x'), 8n),
    // Of a type that only this chain has.
    { hash: 'state-sync', type: '0x7f', to: STRANGER },
  ];
  const SIGHTINGS: readonly Sighting[] = [
    { txHash: TX_A, position: -1, token: 'native', from: PAYER, to: WALLET, amount: 5n },
    { txHash: TX_B, position: -1, token: 'native', from: PAYER, to: OTHER_WALLET, amount: 8n },
  ];

  const honestReceipt = (transactionHash: string): Record<string, unknown> => ({
    transactionHash,
    blockHash: BLOCK.hash,
    status: '0x1',
    logs: [],
  });
  const honestBlock = (transactions: readonly unknown[] = TRANSACTIONS): Record<string, unknown> => ({
    number: hexOf(BigInt(BLOCK.height)),
    hash: BLOCK.hash,
    parentHash: hash('02'),
    timestamp: '0x1',
    transactions,
  });

  let node: FakeNode;
  let client: EvmChainClient;
  let block: unknown;
  let receiptOf: (txHash: string) => unknown;
  let balance: unknown;

  beforeEach(async () => {
    block = honestBlock();
    receiptOf = honestReceipt;
    node = await FakeNode.start({
      eth_getBlockByHash: () => block,
      eth_getTransactionReceipt: (txHash) => receiptOf(String(txHash)),
      eth_getBalance: () => balance,
    });
    client = new EvmChainClient({ profile: POLYGON, rpcUrl: node.url });
  });
  afterEach(async () => {
    await client.close();
    await node.stop();
  });

  const read = () => client.nativeTransfersIn(BLOCK, ours);

  it('is read from the whole block and the receipts of our transactions, in two requests', async () => {
    await expect(read()).resolves.toEqual(SIGHTINGS);
    expect(node.requests.map(({ questions }) => questions.map(({ method, params }) => [method, ...params]))).toEqual([
      [['eth_getBlockByHash', BLOCK.hash, true]],
      [
        ['eth_getTransactionReceipt', TX_A],
        ['eth_getTransactionReceipt', TX_B],
      ],
    ]);
  });

  it('is read in one request when no transaction is ours', async () => {
    await expect(client.nativeTransfersIn(BLOCK, () => false)).resolves.toEqual([]);
    expect(node.requests).toHaveLength(1);
  });

  it('[F-69] waits for a receipt that is missing', async () => {
    receiptOf = (txHash) => (txHash === TX_B ? null : honestReceipt(txHash));
    await expect(read()).rejects.toThrow(ChainUnavailable);
    receiptOf = honestReceipt;
    await expect(read()).resolves.toEqual(SIGHTINGS);
  });

  it('[F-72] counts a transaction once that the node repeats', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...TRANSACTIONS)), async (more) => {
        block = honestBlock([...TRANSACTIONS, ...more]);
        await expect(read()).resolves.toEqual(SIGHTINGS);
      }),
      { numRuns: 20 },
    );
  });

  it('[G-84] counts no transaction that failed', async () => {
    receiptOf = (txHash) => ({ ...honestReceipt(txHash), status: txHash === TX_A ? '0x0' : '0x1' });
    await expect(read()).resolves.toEqual(SIGHTINGS.slice(1));
  });

  it.each<[string, () => unknown]>([
    ['missing', () => null],
    ['of another hash', () => ({ ...honestBlock(), hash: hash('09') })],
    ['of another height', () => ({ ...honestBlock(), number: '0x1' })],
    ['without transactions', () => ({ ...honestBlock(), transactions: undefined })],
    ['one that lists hashes alone', () => honestBlock(TRANSACTIONS.map((one) => one.hash))],
    ['one with a transaction of another block', () => honestBlock([{ ...TRANSACTIONS[0], blockHash: hash('09') }])],
    ['one without the value of what is ours', () => honestBlock([{ ...TRANSACTIONS[0], value: undefined }])],
    ['one without the sender of what is ours', () => honestBlock([{ ...TRANSACTIONS[0], from: null }])],
    ['one without the hash of what is ours', () => honestBlock([{ ...TRANSACTIONS[0], hash: null }])],
  ])('[F-67] is unavailable when the block is %s', async (_name, lie) => {
    block = lie();
    await expect(read()).rejects.toThrow(ChainUnavailable);
  });

  it.each<[string, object]>([
    ['another block', { blockHash: hash('09') }],
    ['another transaction', { transactionHash: hash('09') }],
    ['an unknown outcome', { status: undefined }],
  ])('is unavailable when a receipt is of %s', async (_name, lie) => {
    receiptOf = (txHash) => ({ ...honestReceipt(txHash), ...lie });
    await expect(read()).rejects.toThrow(ChainUnavailable);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['decimal', '5'],
    ['empty', '0x'],
    ['below zero', '-0x1'],
  ])('is unavailable when a balance is %s', async (_name, lie) => {
    balance = lie;
    await expect(client.balancesAt(BLOCK, [WALLET])).rejects.toThrow(ChainUnavailable);
  });
});
