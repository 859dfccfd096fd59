import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { waitFor } from '../../platform/processes.js';
import { DevChainControls } from '../../../test/support/dev-chain-controls.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { startDevMiner, type DevMiner } from './dev-miner.js';
import { HEX_NUMBER } from './dev-rpc.js';

/** Blocks on top that make a block final on every development chain. */
const FINALITY_BLOCKS = 3;

const PAYEE = '0x00000000000000000000000000000000000000cc';
const TAGGED = z.object({ number: HEX_NUMBER });

let dir: DevChainDirectory;
let chain: EvmDevChain;
let controls: DevChainControls;
let miner: DevMiner;

beforeEach(async () => {
  dir = await DevChainDirectory.create();
  chain = await dir.start();
  controls = new DevChainControls(chain);
});
afterEach(async () => {
  await miner.stop();
  await dir.remove();
});

async function finalizedHeight(): Promise<number> {
  return (await controls.ask(TAGGED, 'eth_getBlockByNumber', 'finalized', false)).number;
}

/** Waits until the miner has mined this many blocks on top of a block. */
async function isDeep(blockNumber: number): Promise<true | null> {
  return waitFor(async () => ((await controls.height()) >= blockNumber + FINALITY_BLOCKS ? true : null), 10_000);
}

describe('the miner', () => {
  it('makes the payment of another wallet final within 6 s, and then mines no more', async () => {
    const wallet = await controls.newWallet({ tokens: { USDC: 100n } });
    await controls.mine(FINALITY_BLOCKS);
    miner = startDevMiner(chain);
    const startedAt = performance.now();
    const paid = await controls.pay({ from: wallet, to: PAYEE, token: 'USDC', amount: 100n });
    expect(await isDeep(paid.blockNumber)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect(await finalizedHeight()).toBeGreaterThanOrEqual(paid.blockNumber);

    // Three of its intervals: only time shows that it mines no more.
    await sleep(3_000);
    expect(await controls.height()).toBe(paid.blockNumber + FINALITY_BLOCKS);
  });

  it('finalizes blocks that were not final when it started, as after a restart of the service', async () => {
    const paid = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
    miner = startDevMiner(chain, { intervalMs: 20 });
    expect(await isDeep(paid.blockNumber)).toBe(true);
  });

  it('starts again for every later payment', async () => {
    miner = startDevMiner(chain, { intervalMs: 20 });
    for (let n = 0; n < 5; n += 1) {
      const paid = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
      expect(await isDeep(paid.blockNumber)).toBe(true);
    }
  });

  it('mines what is left in the pool of a chain that mines by itself, and nothing of one that leaves it to its user', async () => {
    await controls.mine(FINALITY_BLOCKS);
    await controls.setAutomine(false);
    const height = await controls.height();
    const txHash = await controls.send({ to: PAYEE, token: 'USDC', amount: 1n });
    miner = startDevMiner(chain, { intervalMs: 20 });
    // Ten of its intervals.
    await sleep(200);
    expect(await controls.height()).toBe(height);
    await miner.stop();
    const node = await ProxyNode.start(chain.rpcUrl);
    try {
      node.lie = async (question, ask) => question.method === 'anvil_getAutomine' || (await ask(question))['result'];
      miner = startDevMiner({ ...chain, rpcUrl: node.url }, { intervalMs: 20 });
      const { blockNumber } = await controls.waitUntilMined(txHash);
      expect(await isDeep(blockNumber)).toBe(true);
    } finally {
      await miner.stop();
      await node.stop();
    }
  });

  it('mines nothing during work that must meet no new block, and continues after it', async () => {
    miner = startDevMiner(chain, { intervalMs: 20 });
    const paid = await miner.pausedFor(async () => {
      const { blockNumber } = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
      // Ten of its intervals.
      await sleep(200);
      expect(await controls.height()).toBe(blockNumber);
      return blockNumber;
    });
    expect(await isDeep(paid)).toBe(true);
  });

  it('mines nothing after its stop', async () => {
    miner = startDevMiner(chain, { intervalMs: 20 });
    await miner.stop();
    const { blockNumber } = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
    await sleep(200);
    expect(await controls.height()).toBe(blockNumber);
  });

  it('mines nothing on another chain that has taken the port of its own', async () => {
    miner = startDevMiner({ ...chain, genesisHash: `0x${'0'.repeat(64)}` }, { intervalMs: 20 });
    const { blockNumber } = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
    await sleep(200);
    expect(await controls.height()).toBe(blockNumber);
  });

  it('continues when the chain was restarted', async () => {
    miner = startDevMiner(chain, { intervalMs: 20 });
    await chain.stop();
    chain = await dir.start();
    const { blockNumber } = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
    expect(await isDeep(blockNumber)).toBe(true);
  });
});
