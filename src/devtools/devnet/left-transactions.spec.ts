import { Wallet } from 'ethers';
import { z } from 'zod';
import { DevChainControls } from '../../../test/support/dev-chain-controls.js';
import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import { waitFor } from '../../platform/processes.js';
import { startDevMiner } from './dev-miner.js';
import { HEX_NUMBER } from './dev-rpc.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { mineLeftTransactions } from './left-transactions.js';

const PAYEE = '0x00000000000000000000000000000000000000cc';
const GWEI = 10n ** 9n;
const POOL = z.object({ pending: HEX_NUMBER, queued: HEX_NUMBER });

let dir: DevChainDirectory;
let chain: EvmDevChain;
let controls: DevChainControls;
beforeEach(async () => {
  dir = await DevChainDirectory.create();
  chain = await dir.start();
  controls = new DevChainControls(chain);
});
afterEach(() => dir.remove());

/** Sends transactions of a new wallet with the nonces 1 to `last`. They wait for the one with nonce 0. */
async function queueWithout0(last: number): Promise<string> {
  const { address, privateKey } = await controls.newWallet();
  const wallet = new Wallet(privateKey);
  for (let nonce = 1; nonce <= last; nonce += 1) {
    const raw = await wallet.signTransaction({
      type: 2,
      chainId: chain.chainId,
      nonce,
      to: PAYEE,
      value: 1n,
      gasLimit: 21_000n,
      maxFeePerGas: 1_000n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    await controls.ask(z.string(), 'eth_sendRawTransaction', raw);
  }
  return address;
}

/** Moves the nonce over the missing transaction, as if it had been mined before anvil added the next one to its pool. */
async function skipNonce0(address: string): Promise<void> {
  await controls.ask(z.unknown(), 'anvil_setNonce', address, '0x1');
}

function nonceOf(address: string): Promise<number> {
  return controls.ask(HEX_NUMBER, 'eth_getTransactionCount', address, 'latest');
}

/** Waits for this many transactions in the pool: those of a block leave it a moment after the block is visible. */
async function waitUntilPooled(expected: z.infer<typeof POOL>): Promise<void> {
  const isPooled = async (): Promise<true | null> => {
    const pool = await controls.ask(POOL, 'txpool_status');
    return (pool.pending === expected.pending && pool.queued === expected.queued) || null;
  };
  expect(await waitFor(isPooled, 10_000)).toBe(true);
}

describe('transactions that anvil would never mine', () => {
  it('are all mined with a miner, though blocks alone do not help', async () => {
    const address = await queueWithout0(30);
    await skipNonce0(address);
    await controls.mine(3);
    expect(await nonceOf(address)).toBe(1);
    const miner = startDevMiner(chain, { intervalMs: 20 });
    try {
      expect(await waitFor(async () => ((await nonceOf(address)) === 31 ? true : null), 10_000)).toBe(true);
    } finally {
      await miner.stop();
    }
    await waitUntilPooled({ pending: 0, queued: 0 });
  });

  it('do not include those that wait for a transaction that has not come', async () => {
    const waiting = await queueWithout0(2);
    const stuck = await queueWithout0(2);
    await waitUntilPooled({ pending: 0, queued: 4 });
    expect(await mineLeftTransactions(chain.rpcUrl)).toBe(false);
    await skipNonce0(stuck);
    expect(await mineLeftTransactions(chain.rpcUrl)).toBe(true);
    await waitUntilPooled({ pending: 0, queued: 2 });
    expect(await nonceOf(stuck)).toBe(3);
    expect(await nonceOf(waiting)).toBe(0);
    expect(await mineLeftTransactions(chain.rpcUrl)).toBe(false);
  });
});
