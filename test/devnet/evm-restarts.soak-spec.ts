import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runTypeScriptChild } from '../support/typescript-child.js';
import { isPidAlive, isPortFree, waitFor } from '../../src/platform/processes.js';
import { DevChainControls } from '../support/dev-chain-controls.js';
import { DevChainDirectory } from '../support/dev-chain-directory.js';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import { startDevMiner } from '../../src/devtools/devnet/dev-miner.js';
import { askChain, HEX_NUMBER, sendToChain } from '../../src/devtools/devnet/dev-rpc.js';
import type { MinedTransaction } from '../../src/devtools/devnet/mined-transaction.js';

const MODULE = new URL('../../src/devtools/devnet/evm-dev-chain.ts', import.meta.url).href;
const PAYEE = '0x00000000000000000000000000000000000000aa';
/** The miner looks every 10 s when it loses a head. */
const FINAL_WITHIN_MS = 20_000;
const RECORD = z.object({ pid: z.number(), port: z.number() });
const IDENTITY = z.object({ rpcUrl: z.string(), genesisHash: z.string() });
const TAGGED = z.object({ number: HEX_NUMBER });
/** Random changes of the chain, one time in two, appeared from the second restart on. */
const RESTARTS = 8;

let dir: DevChainDirectory;

beforeEach(async () => {
  dir = await DevChainDirectory.create();
});
afterEach(() => dir.remove());

/** Starts the chain in another process and kills that process, but not the chain. Returns the chain as it was. */
async function startAndKillService(): Promise<z.infer<typeof IDENTITY>> {
  const options = `{ network: 'polygon', dataDir: ${JSON.stringify(dir.path)}, preferredPort: 0, log: () => {} }`;
  const service = await runTypeScriptChild(`
    import { startEvmDevChain } from ${JSON.stringify(MODULE)};
    const { rpcUrl, genesisHash } = await startEvmDevChain(${options});
    console.log(JSON.stringify({ rpcUrl, genesisHash }));
    setInterval(() => {}, 1000);
  `);
  await service.kill();
  return IDENTITY.parse(JSON.parse(service.firstLine));
}

async function restartIdle(): Promise<EvmDevChain> {
  const chain = await dir.start();
  await chain.stop();
  return chain;
}

const fileOf = (name: string): string => join(dir.path, 'devnet', name);

async function recorded(): Promise<z.infer<typeof RECORD>> {
  return RECORD.parse(JSON.parse(await readFile(fileOf('polygon.json'), 'utf8')));
}

/** Returns everything that a reader sees of a chain: blocks with their transactions, receipts, logs, tags. */
async function historyOf(chain: EvmDevChain): Promise<unknown> {
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    askChain(chain.rpcUrl, z.unknown(), method, ...params);
  const head = await askChain(chain.rpcUrl, HEX_NUMBER, 'eth_blockNumber');
  const heights = Array.from({ length: head + 1 }, (_, height) => `0x${height.toString(16)}`);
  return {
    blocks: await Promise.all(heights.map((height) => ask('eth_getBlockByNumber', height, true))),
    receipts: await Promise.all(heights.map((height) => ask('eth_getBlockReceipts', height))),
    logs: await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }),
    finalized: await ask('eth_getBlockByNumber', 'finalized', false),
  };
}

/** Returns the chain's data of one payment, by its hash and by that of its block. */
async function evidenceOf(chain: EvmDevChain, { txHash, blockHash }: MinedTransaction): Promise<unknown> {
  const controls = new DevChainControls(chain);
  return {
    receipt: await controls.ask(z.record(z.string(), z.unknown()), 'eth_getTransactionReceipt', txHash),
    block: await controls.ask(z.record(z.string(), z.unknown()), 'eth_getBlockByHash', blockHash, true),
    logs: await controls.ask(z.array(z.unknown()).length(1), 'eth_getLogs', { blockHash }),
  };
}

/** Pays and lets the development miner make the payment final. */
async function payAndFinalize(chain: EvmDevChain): Promise<MinedTransaction> {
  const controls = new DevChainControls(chain);
  const miner = startDevMiner(chain, { intervalMs: 20 });
  const paid = await controls.pay({ to: PAYEE, token: 'USDC', amount: 1n });
  const isFinal = await waitFor(async () => {
    const { number } = await controls.ask(TAGGED, 'eth_getBlockByNumber', 'finalized', false);
    return number >= paid.blockNumber || null;
  }, FINAL_WITHIN_MS);
  await miner.stop();
  expect(isFinal).toBe(true);
  return paid;
}

describe('a development chain after an orderly stop', () => {
  it('is restored with the same blocks, receipts, logs and final block, and continues from there', async () => {
    const first = await dir.start();
    const before = new DevChainControls(first);
    await before.pay({ to: PAYEE, token: 'USDC', amount: 7n });
    await before.mine(4);
    await before.dropTransaction((await before.pay({ to: PAYEE, token: 'USDC', amount: 9n })).txHash);
    const history = await historyOf(first);
    const height = await before.height();
    await first.stop();
    expect(await isPortFree(Number(new URL(first.rpcUrl).port))).toBe(true);

    const second = await dir.start();
    expect(second).toMatchObject({ origin: 'restored', rpcUrl: first.rpcUrl, genesisHash: first.genesisHash });
    expect(await historyOf(second)).toEqual(history);
    const after = new DevChainControls(second);
    expect(await after.balance('USDC', PAYEE)).toBe(7n);
    const next = await after.pay({ to: PAYEE, token: 'USDC', amount: 1n });
    expect(next.blockNumber).toBe(height + 1);
    await after.dropTransaction(next.txHash);
    expect(await after.balance('USDC', PAYEE)).toBe(7n);
    expect(dir.logged).toEqual([]);
  });

  it('stays the same chain however often it is restarted, with payments and reorgs in between', async () => {
    let chain = await dir.start();
    const { genesisHash, rpcUrl, tokens } = chain;
    const paid = await payAndFinalize(chain);
    const evidence = await evidenceOf(chain, paid);
    for (let restart = 1; restart <= RESTARTS; restart += 1) {
      const history = await historyOf(chain);
      await chain.stop();
      chain = await dir.start();
      expect(chain).toMatchObject({ origin: 'restored', genesisHash, rpcUrl, tokens });
      expect(await historyOf(chain)).toEqual(history);
      expect(await evidenceOf(chain, paid)).toEqual(evidence);
      await payAndFinalize(chain);
      const controls = new DevChainControls(chain);
      await controls.dropTransaction((await controls.pay({ to: PAYEE, token: 'USDC', amount: 9n })).txHash);
      expect(await controls.balance('USDC', PAYEE)).toBe(BigInt(1 + restart));
    }
    expect(dir.logged).toEqual([]);
  });

  it('keeps an idle chain too, and leaves no more on disk each time', async () => {
    const { genesisHash } = await restartIdle();
    await restartIdle();
    const { size } = await stat(fileOf('polygon.state.json'));
    for (let restart = 0; restart < 2; restart += 1) {
      // The files of a start differ by its second.
      const second = Math.floor(Date.now() / 1_000);
      await waitFor(() => Date.now() / 1_000 >= second + 1 || null, 2_000);
      expect((await restartIdle()).genesisHash).toBe(genesisHash);
      expect((await stat(fileOf('polygon.state.json'))).size).toBe(size);
    }
    const files = ['polygon.json', 'polygon.log', 'polygon.state.json', 'polygon.state.loaded.json'];
    expect((await readdir(fileOf('.'))).toSorted()).toEqual(files);
  });

  it('reports an error after a reorg over the restart, which anvil cannot do', async () => {
    const first = await dir.start();
    await new DevChainControls(first).mine(5);
    await first.stop();
    const after = new DevChainControls(await dir.start());
    await expect(after.replaceByEmptyBlocks(3)).rejects.toThrow('went back over a restart');
  });
});

describe('a development chain whose service was killed', () => {
  it('keeps running and is adopted by the next start, with all blocks of the meantime', async () => {
    const known = await startAndKillService();
    const height = await askChain(known.rpcUrl, HEX_NUMBER, 'eth_blockNumber');
    await sendToChain(known.rpcUrl, 'anvil_mine', '0x3');

    const chain = await dir.start();
    expect(chain).toMatchObject({ origin: 'adopted', ...known });
    expect(await new DevChainControls(chain).height()).toBe(height + 3);
    await chain.stop();
    expect(isPidAlive((await recorded()).pid)).toBe(false);
  });

  it('stays the same chain when kills of its service and orderly stops alternate', async () => {
    let chain = await dir.start();
    const { genesisHash, rpcUrl } = chain;
    const paid = await payAndFinalize(chain);
    const evidence = await evidenceOf(chain, paid);
    for (let turn = 1; turn <= 3; turn += 1) {
      const history = await historyOf(chain);
      await chain.stop();
      const known = await startAndKillService();
      chain = await dir.start();
      expect(known).toEqual({ genesisHash, rpcUrl });
      expect(chain).toMatchObject({ origin: 'adopted', genesisHash, rpcUrl });
      expect(await historyOf(chain)).toEqual(history);
      expect(await evidenceOf(chain, paid)).toEqual(evidence);
      await payAndFinalize(chain);
    }
    expect(dir.logged).toEqual([]);
  });

  it('is not mistaken for another process that has its pid', async () => {
    await (await dir.start()).stop();
    const record = await recorded();
    await writeFile(fileOf('polygon.json'), JSON.stringify({ ...record, startedAt: new Date(), pid: process.pid }));
    const chain = await dir.start();
    expect(chain.origin).toBe('restored');
    await chain.stop();
    expect(isPidAlive(process.pid)).toBe(true);
  });
});
