import { z } from 'zod';
import { AnvilNode } from '../../../test/support/anvil-node.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { minedTransaction, ProbeContract, sendTransaction, type Mined } from '../../../test/support/probe-contracts.js';
import { ChainUnavailable } from '../chain.js';
import { EvmChainClient } from './evm-chain-client.js';

const WALLET = `0x${'c3'.repeat(20)}`;
const OTHER_WALLET = `0x${'c4'.repeat(20)}`;
const STRANGER = `0x${'d4'.repeat(20)}`;
const POLYGON = { network: 'polygon', finality: { minDepth: 3 } } as const;
const ETHEREUM = { network: 'ethereum', finality: { minDepth: 0 } } as const;

function ours(to: string): boolean {
  return to === WALLET || to === OTHER_WALLET;
}

function hash(byte: string): string {
  return `0x${byte.repeat(32)}`;
}

function blockAnswer(number: string) {
  return { number, hash: hash('01'), parentHash: hash('02'), timestamp: '0x1' };
}

describe('EvmChainClient on a real node', () => {
  let node: AnvilNode;
  let client: EvmChainClient;
  let usdc: ProbeContract;
  let fake: ProbeContract;
  let batcher: ProbeContract;

  beforeAll(async () => {
    node = await AnvilNode.start({ chainId: 80_002 });
    client = new EvmChainClient({ profile: POLYGON, rpcUrl: node.url });
    usdc = await ProbeContract.deploy(node, 'ProbeToken', 6);
    fake = await ProbeContract.deploy(node, 'ProbeToken', 6);
    batcher = await ProbeContract.deploy(node, 'Batcher');
  });

  afterAll(async () => {
    await client.close();
    await node.stop();
  });

  const sightingsIn = ({ block }: Pick<Mined, 'block'>) => client.transfersIn(block, [usdc.address], ours);

  it('reads headers that link to each other, and null above the head', async () => {
    await node.mine(3);
    const head = await client.head();
    const [missing, parent, same] = await client.headersAt([head.height + 1, head.height - 1, head.height]);
    expect(missing).toBeNull();
    expect(same).toEqual(head);
    expect(parent?.hash).toBe(head.parentHash);
    await expect(client.headerAt(head.height)).resolves.toEqual(head);
    await expect(client.headerAt(head.height + 1)).resolves.toBeNull();
  });

  it('[F-70] identifies the chain of the node by its id and its first block', async () => {
    const genesis = await client.headerAt(0);
    await expect(client.identity()).resolves.toEqual({ chainId: '80002', genesisHash: genesis?.hash });
    await node.send('anvil_setChainId', 1);
    await expect(client.identity()).resolves.toMatchObject({ chainId: '1' });
    await node.send('anvil_setChainId', 80_002);
  });

  it('takes the lower of the finalized tag and the depth, and never less than the first block', async () => {
    const head = await client.head();
    await expect(client.finalizedHeight(head)).resolves.toBe(head.height - 3);
    const byTagAlone = new EvmChainClient({ profile: ETHEREUM, rpcUrl: node.url });
    await expect(byTagAlone.finalizedHeight(head)).resolves.toBe(head.height - 2);
    await byTagAlone.close();
    await expect(client.finalizedHeight({ height: 1, hash: head.hash })).resolves.toBe(0);
  });

  it('sees a transfer to us and no other', async () => {
    await expect(sightingsIn(await usdc.send('transfer', STRANGER, 5n))).resolves.toEqual([]);
    const paid = await usdc.send('transfer', WALLET, 25_000_000n);
    const [payer] = await node.ask(z.array(z.string()), 'eth_accounts');
    await expect(sightingsIn(paid)).resolves.toEqual([
      { txHash: paid.txHash, position: 0, token: usdc.address, from: payer, to: WALLET, amount: 25_000_000n },
    ]);
  });

  it('[F-67] is unavailable for a block that the node does not have', async () => {
    const unknown = { block: { height: 5, hash: `0x${'77'.repeat(32)}` } };
    await expect(sightingsIn(unknown)).rejects.toThrow(ChainUnavailable);
  });

  it('[G-83] ignores an unlisted contract with the same symbol', async () => {
    await expect(sightingsIn(await fake.send('transfer', WALLET, 5n))).resolves.toEqual([]);
  });

  it.each([
    ['[G-84] a failed transaction', 'transferAndRevert'],
    ['[G-85] a token that declines without a Transfer', 'decline'],
    ['[G-86] the Transfer of an NFT', 'transferNft'],
    ['[G-86] a recipient with dirty upper bytes', 'transferDirty'],
  ])('sees no transfer in %s', async (_name, method) => {
    await expect(sightingsIn(await usdc.send(method, WALLET, 5n))).resolves.toEqual([]);
  });

  it('[G-87] sees no transfer of zero, from us or to us', async () => {
    await expect(sightingsIn(await usdc.send('transferFrom', STRANGER, WALLET, 0n))).resolves.toEqual([]);
    await expect(sightingsIn(await usdc.send('transferFrom', WALLET, STRANGER, 0n))).resolves.toEqual([]);
  });

  it('[G-88] sees each transfer to us among fifty logs of one transaction once, at its position', async () => {
    const recipients = Array.from({ length: 50 }, (_, i) =>
      i % 10 === 3 ? WALLET : i % 10 === 7 ? OTHER_WALLET : STRANGER,
    );
    const tokens = recipients.map((_, i) => (i < 40 ? usdc.address : fake.address));
    const amounts = recipients.map((_, i) => BigInt(i + 1));
    const sightings = await sightingsIn(await batcher.send('pay', tokens, recipients, amounts));
    expect(sightings.map(({ position }) => position)).toEqual([3, 7, 13, 17, 23, 27, 33, 37]);
    expect(sightings.map(({ amount }) => amount)).toEqual([4n, 8n, 14n, 18n, 24n, 28n, 34n, 38n]);
    expect(sightings.map(({ to }) => to)).toEqual(Array.from({ length: 4 }, () => [WALLET, OTHER_WALLET]).flat());
  });

  it('[G-89] sees what another contract or a third party transfers, by its recipient', async () => {
    const forwarded = await sightingsIn(await batcher.send('pay', [usdc.address], [WALLET], [5n]));
    expect(forwarded).toMatchObject([{ from: batcher.address, to: WALLET, amount: 5n }]);
    const byThirdParty = await sightingsIn(await usdc.send('transferFrom', STRANGER, WALLET, 6n));
    expect(byThirdParty).toMatchObject([{ from: STRANGER, to: WALLET, amount: 6n }]);
  });

  it('[F-65] keeps the position of a transfer that a reorg moves to another place in the block', async () => {
    const payment = batcher.order('pay', [usdc.address, usdc.address], [STRANGER, WALLET], [1n, 2n]);
    const snapshot = await node.ask(z.string(), 'evm_snapshot');
    const first = await minedTransaction(node, await sendTransaction(node, { ...payment, gasPrice: '0x77359400' }));
    const before = await sightingsIn(first);

    await node.send('evm_revert', snapshot);
    await node.send('evm_setAutomine', false);
    // Three logs of a higher bid are now before the payment.
    const tokens = Array.from({ length: 3 }, () => usdc.address);
    const rival = batcher.order('pay', tokens, [STRANGER, STRANGER, STRANGER], [1n, 1n, 1n]);
    await sendTransaction(node, { ...rival, gasPrice: '0xee6b2800' }, 1);
    await sendTransaction(node, { ...payment, gasPrice: '0x77359400' });
    await node.mine();
    await node.send('evm_setAutomine', true);

    const again = await minedTransaction(node, first.txHash);
    expect(again.block.hash).not.toBe(first.block.hash);
    expect([first.logIndexes, again.logIndexes]).toEqual([
      [0, 1],
      [3, 4],
    ]);
    expect(before).toMatchObject([{ txHash: first.txHash, position: 1 }]);
    await expect(sightingsIn(again)).resolves.toEqual(before);
    // The node has dropped the reorged block: a query for it must not return "no transfers".
    await expect(sightingsIn(first)).rejects.toThrow(ChainUnavailable);
  });

  it('announces nothing without a websocket', () => {
    const watch = client.watchHeads(() => {
      throw new Error('There are no heads without a websocket.');
    });
    expect(() => watch.close()).not.toThrow();
  });
});

describe('EvmChainClient on a node that lies', () => {
  let node: FakeNode;
  let client: EvmChainClient;

  beforeEach(async () => {
    node = await FakeNode.start();
    client = new EvmChainClient({ profile: POLYGON, rpcUrl: node.url });
  });

  afterEach(async () => {
    await client.close();
    await node.stop();
  });

  it('never reports more final than the head and the depth allow, however far the tag runs ahead', async () => {
    node.methods = { eth_getBlockByNumber: () => blockAnswer('0xffff') };
    await expect(client.finalizedHeight({ height: 100, hash: hash('01') })).resolves.toBe(97);
  });

  it.each([
    ['answers null', () => null],
    [
      'refuses the tag',
      () => {
        throw new Error('finalized block not found');
      },
    ],
  ])('is unavailable when a node without finality %s', async (_name, answer) => {
    node.methods = { eth_getBlockByNumber: answer };
    await expect(client.finalizedHeight({ height: 100, hash: hash('01') })).rejects.toThrow(ChainUnavailable);
  });

  it('is unavailable when the node has no head or answers one height with another', async () => {
    node.methods = { eth_getBlockByNumber: (tag) => (tag === 'latest' ? null : blockAnswer('0x7')) };
    await expect(client.head()).rejects.toThrow(ChainUnavailable);
    await expect(client.headersAt([7, 8])).rejects.toThrow('answered block 8 with block 7');
  });

  it('[F-70] is unavailable when the node cannot name its chain', async () => {
    node.methods = { eth_chainId: () => 1, eth_getBlockByNumber: () => blockAnswer('0x0') };
    await expect(client.identity()).rejects.toThrow('malformed chain id');
  });
});
