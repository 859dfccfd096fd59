import { z } from 'zod';
import { DevChainControls } from './dev-chain-controls.js';
import { DevChainDirectory } from './dev-chain-directory.js';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import { HEX_NUMBER } from '../../src/devtools/devnet/dev-rpc.js';

const PAYEE = '0x00000000000000000000000000000000000000dd';
const BLOCK = z.object({ hash: z.string(), parentHash: z.string(), timestamp: HEX_NUMBER });
const LOGS = z.array(z.object({ transactionHash: z.string(), logIndex: HEX_NUMBER, transactionIndex: HEX_NUMBER }));

let dir: DevChainDirectory;
let chain: EvmDevChain;
let controls: DevChainControls;

beforeAll(async () => {
  dir = await DevChainDirectory.create();
  chain = await dir.start('bnb');
  controls = new DevChainControls(chain);
});
afterAll(() => dir.remove());

const pay = async (amount = 1n) => controls.pay({ to: PAYEE, token: 'USDC', amount });
const block = async (height: number) => controls.ask(BLOCK, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false);

/** Returns whether every block names the hash of its parent. */
async function isLinked(): Promise<boolean> {
  const blocks = await Promise.all(Array.from({ length: (await controls.height()) + 1 }, (_, height) => block(height)));
  return blocks.every(({ parentHash }, height) => height === 0 || parentHash === blocks[height - 1]?.hash);
}

describe('dropTransaction', () => {
  it('removes one transaction from the chain, and keeps the height and the transactions of others', async () => {
    const from = await controls.newWallet({ tokens: { USDC: 100n } });
    const before = await pay(1n);
    const dropped = await controls.pay({ from, to: PAYEE, token: 'USDC', amount: 60n });
    const after = await pay(2n);
    const [height, balance] = [await controls.height(), await controls.balance('USDC', PAYEE)];
    await controls.dropTransaction(dropped.txHash);
    expect(await controls.find(dropped.txHash)).toBeNull();
    expect(await controls.find(before.txHash)).toEqual(before);
    expect(await controls.find(after.txHash)).toMatchObject({ blockNumber: after.blockNumber, succeeded: true });
    expect(await controls.height()).toBe(height);
    expect(await controls.balance('USDC', PAYEE)).toBe(balance - 60n);
    expect(await isLinked()).toBe(true);
  });

  it('also removes later transactions of the same sender', async () => {
    const [dropped, later] = [await pay(), await pay()];
    await controls.dropTransaction(dropped.txHash);
    expect(await controls.find(later.txHash)).toBeNull();
  });

  it('fails when another transaction depends on it', async () => {
    const funded = await pay(0n);
    const wallet = await controls.newWallet();
    await controls.pay({ from: wallet, to: PAYEE, token: null, amount: 1n });
    await expect(controls.dropTransaction(funded.txHash)).rejects.toThrow('is not in the chain');
  });

  it('returns the bytes, which are not in the pool but can be sent again', async () => {
    const dropped = await pay();
    await controls.mine(3);
    const raw = await controls.dropTransaction(dropped.txHash);
    await controls.mine();
    expect(await controls.find(dropped.txHash)).toBeNull();
    const again = await controls.resend(raw);
    expect(again.txHash).toBe(dropped.txHash);
    expect(again.blockNumber).toBeGreaterThan(dropped.blockNumber);
  });
});

describe('moveTransaction', () => {
  it('re-mines a payment in another block, at another place in it, with another log index', async () => {
    const paid = await pay(5n);
    const balance = await controls.balance('USDC', PAYEE);
    const { before, after } = await controls.moveTransaction(paid.txHash);
    expect(before).toEqual(paid);
    expect(before).toMatchObject({ transactionIndex: 0, logIndexes: [0] });
    expect(after).toMatchObject({
      txHash: paid.txHash,
      succeeded: true,
      blockNumber: paid.blockNumber + 1,
      transactionIndex: 1,
      logIndexes: [1],
    });
    expect(after.blockHash).not.toBe(before.blockHash);
    expect(await controls.balance('USDC', PAYEE)).toBe(balance);
    const logs = await controls.ask(LOGS, 'eth_getLogs', {
      blockHash: after.blockHash,
      address: chain.tokens['USDC']?.address,
    });
    expect(logs[1]).toEqual({ transactionHash: paid.txHash, logIndex: 1, transactionIndex: 1 });
    expect(await isLinked()).toBe(true);
  });

  it('can be repeated, and from deep below the head, with all later transactions', async () => {
    const first = await pay(5n);
    const second = await pay(6n);
    await controls.mine(4);
    const height = await controls.height();
    await controls.moveTransaction(first.txHash);
    const { before, after } = await controls.moveTransaction(first.txHash);
    expect(after.blockNumber).toBe(before.blockNumber + 1);
    expect(await controls.find(second.txHash)).toMatchObject({ succeeded: true });
    expect(await controls.height()).toBe(height);
    expect(await isLinked()).toBe(true);
  });
});

describe('mining by hand', () => {
  it('replaces blocks by empty ones of the same heights', async () => {
    const paid = await pay();
    await controls.mine(2);
    const height = await controls.height();
    await controls.replaceByEmptyBlocks(3);
    expect(await controls.find(paid.txHash)).toBeNull();
    expect(await controls.height()).toBe(height);
  });

  it('leaves a transfer in the pool while automatic mining is off', async () => {
    await controls.setAutomine(false);
    const txHash = await controls.send({ to: PAYEE, token: 'USDC', amount: 1n });
    expect(await controls.find(txHash)).toBeNull();
    await controls.mine();
    expect(await controls.find(txHash)).toMatchObject({ succeeded: true });
    await controls.setAutomine(true);
  });

  it('sets the time of the next block, and the clock continues from there', async () => {
    const time = new Date('2035-01-01T00:00:00Z');
    await controls.setNextBlockTime(time);
    await controls.mine(2);
    const height = await controls.height();
    expect((await block(height - 1)).timestamp).toBe(time.getTime() / 1000);
    expect((await block(height)).timestamp).toBeGreaterThanOrEqual(time.getTime() / 1000);
  });

  it('shows a failed transfer as mined but failed', async () => {
    const poor = await controls.newWallet();
    expect(await controls.pay({ from: poor, to: PAYEE, token: 'USDC', amount: 1n })).toMatchObject({
      succeeded: false,
      logIndexes: [],
    });
  });
});
