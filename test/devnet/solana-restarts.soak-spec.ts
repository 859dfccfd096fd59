import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { AccountRole, address, generateKeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { z } from 'zod';
import { SolanaLab } from '../support/solana-lab.js';
import { runTypeScriptChild } from '../support/typescript-child.js';
import { findFreePort, isPidAlive, isPortFree, waitFor } from '../../src/platform/processes.js';

const MODULE = new URL('../../src/devtools/devnet/solana/solana-process.ts', import.meta.url).href;
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const SLOT_HASHES = address('SysvarS1otHashes111111111111111111111111111');
const IDENTITY = z.object({ pid: z.number(), url: z.string(), genesisHash: z.string() });
const STATUSES = z.object({ value: z.array(z.object({ err: z.unknown() }).nullable()) });
const LATEST = z.object({ context: z.object({ slot: z.number() }), value: z.object({ blockhash: z.string() }) });
const BLOCKHASH = z.object({ blockhash: z.string() });
const SIGNATURES = z.array(z.object({ signature: z.string() }));

let lab: SolanaLab;

beforeAll(async () => {
  lab = await SolanaLab.open();
});
// A test may leave its chain stopped.
beforeEach(async () => {
  await lab.start();
  await lab.controls.pause();
  lab.logged.length = 0;
});
afterAll(() => lab.close());

const fileOf = (name: string): string => join(lab.dir, name);
const journal = (): string => fileOf('solana.journal.jsonl');

async function kill(): Promise<void> {
  const { pid } = lab.chain;
  process.kill(pid, 'SIGKILL');
  await waitFor(() => (isPidAlive(pid) ? null : true), 5_000);
}

/** Starts the chain in another process and kills that process, but not the chain. */
async function startAndKillService(): Promise<z.infer<typeof IDENTITY>> {
  const options = `{ dir: ${JSON.stringify(lab.dir)}, preferredPort: 0, log: () => {} }`;
  const service = await runTypeScriptChild(`
    import { runSolanaChain } from ${JSON.stringify(MODULE)};
    const { pid, url, genesisHash } = await runSolanaChain(${options});
    console.log(JSON.stringify({ pid, url, genesisHash }));
    setInterval(() => {}, 1000);
  `);
  await service.kill();
  return IDENTITY.parse(JSON.parse(service.firstLine));
}

/** Makes payments in coins and tokens, failures, skipped slots, a fork and blocks without transactions. */
async function live(): Promise<void> {
  const owner = await lab.newWallet();
  for (const token of ['USDC', 'USDT', null]) {
    await lab.controls.fund({ owner: owner.address, token, amount: 5_000_000n });
  }
  await lab.controls.mine(2);
  await lab.controls.skip(3);
  await lab.send(await lab.signTransfer(owner.address, 10n ** 18n), { skipPreflight: true });
  await lab.controls.mine(2);
  await lab.controls.fund({ owner: owner.address, token: 'USDC22', amount: 7n });
  await lab.controls.mine();
  await lab.controls.fork(1);
  await lab.controls.setRent(6_960);
  // Answers of simulations on other blocks leave no trace in what programs see.
  await lab.ask('simulateTransaction', (await lab.sign([])).base64, { encoding: 'base64' });
  const transfer = getTransferSolInstruction({ source: lab.faucet, destination: owner.address, amount: 1n });
  const sysvars = [CLOCK, SLOT_HASHES].map((one) => ({ address: one, role: AccountRole.WRITABLE }));
  await lab.land(await lab.sign([{ ...transfer, accounts: [...transfer.accounts, ...sysvars] }]));
  await lab.land(await lab.signTransfer(lab.faucet.address, 1_000_000n, { payer: owner, version: 'legacy' }));
  await lab.controls.mine(3);
}

/** Returns everything that a reader sees of the chain. */
async function history(): Promise<unknown> {
  const commitment = 'confirmed';
  const slots = await lab.result(z.array(z.number()), 'getBlocks', 0, null, { commitment });
  const block = { commitment, maxSupportedTransactionVersion: 1, encoding: 'json' };
  const { mints, accounts } = await lab.controls.info();
  return {
    blocks: await Promise.all(slots.map((slot) => lab.ask('getBlock', slot, block))),
    processed: await lab.ask('getLatestBlockhash', { commitment: 'processed' }),
    finalized: await lab.ask('getLatestBlockhash', { commitment: 'finalized' }),
    accounts: await lab.ask('getMultipleAccounts', [...Object.values(mints), ...Object.values(accounts)], {
      commitment,
    }),
    tokens: await lab.ask(
      'getTokenAccountsByOwner',
      accounts['faucet'],
      { mint: mints['USDC'] },
      { encoding: 'base64' },
    ),
    rent: await lab.ask('getMinimumBalanceForRentExemption', 165),
  };
}

describe('a chain that was killed', () => {
  it('comes back with the same blocks, hashes, times, signatures, accounts and fees, and continues', async () => {
    await live();
    const before = await history();
    const { url, genesisHash } = lab.chain;
    for (let restart = 0; restart < 2; restart += 1) {
      await kill();
      expect(await lab.start()).toMatchObject({ origin: 'restored', url, genesisHash });
      expect(await history()).toEqual(before);
    }
    await live();
    expect(lab.logged).toEqual([]);
  });

  it('comes back with what it has acknowledged, and puts it into its next block', async () => {
    const { address: to } = await generateKeyPairSigner();
    const signed = await lab.signTransfer(to, 1_000_000n);
    expect(await lab.send(signed)).toEqual({ result: signed.signature });
    await kill();
    await lab.start();
    expect((await lab.controls.info()).pending).toBe(1);
    await lab.controls.mine();
    await lab.settle();
    expect(await lab.result(SIGNATURES, 'getSignaturesForAddress', to)).toMatchObject([
      { signature: signed.signature },
    ]);
  });

  it('comes back without a line that was not written whole', async () => {
    await live();
    const before = await history();
    await kill();
    await appendFile(journal(), '{"type":"transaction","number":99,"byt');
    await lab.start();
    expect(await history()).toEqual(before);
    await live();
    await kill();
    expect((await lab.start()).origin).toBe('restored');
  });

  it('comes back after its last block was cut off, with the transactions of that block in the next one', async () => {
    const { address: to } = await generateKeyPairSigner();
    const signature = await lab.land(await lab.signTransfer(to, 1_000_000n));
    await kill();
    const lines = (await readFile(journal(), 'utf8')).split('\n');
    expect(lines.at(-2)).toContain('"type":"block"');
    await truncate(journal(), lines.slice(0, -2).join('\n').length + 1);
    await lab.start();
    await lab.controls.mine();
    await lab.settle();
    expect(await lab.result(SIGNATURES, 'getSignaturesForAddress', to)).toMatchObject([{ signature }]);
  });

  it('starts over and says so when its journal leads to another chain', async () => {
    await live();
    const { genesisHash } = lab.chain;
    await kill();
    const text = await readFile(journal(), 'utf8');
    await writeFile(journal(), text.replace(/"digest":"\w{8}/, '"digest":"00000000'));
    const chain = await lab.start();
    expect(chain.origin).toBe('new');
    expect(chain.genesisHash).not.toBe(genesisHash);
    expect(lab.logged).toEqual([expect.stringMatching(/cannot be repeated and was moved to .*unreadable/)]);
    expect(await readdir(lab.dir)).toContain('solana.journal.jsonl.unreadable');
  });
});

describe('a chain that is killed under load', () => {
  it('has all that it acknowledged, and the blocks that it showed, whenever it was killed', async () => {
    const { address: to } = await generateKeyPairSigner();
    await lab.land(await lab.signTransfer(to, 1_000_000n));
    for (const killAt of [3, 20]) {
      await lab.chain.stop();
      await lab.start({ slotMs: 15 });
      await lab.controls.resume();
      const acknowledged: string[] = [];
      const shown = new Map<number, string>();
      const amounts = Array.from({ length: 40 }, (_, i) => BigInt(1_000 * killAt + i)).values();
      const sender = async (): Promise<void> => {
        for (const amount of amounts) {
          // Signed only now: its lifetime is 150 slots of 15 ms.
          const signed = await lab.signTransfer(to, amount);
          const { context, value } = await lab.result(LATEST, 'getLatestBlockhash', { commitment: 'processed' });
          shown.set(context.slot, value.blockhash);
          if ((await lab.send(signed)).result === signed.signature) acknowledged.push(signed.signature);
          if (acknowledged.length === killAt) await kill();
        }
      };
      // Some are cut off in the middle of a call.
      await Promise.allSettled(Array.from({ length: 4 }, sender));
      await lab.start();
      await lab.controls.pause();
      await lab.controls.mine();
      await lab.settle();
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAt);
      const { value: statuses } = await lab.result(STATUSES, 'getSignatureStatuses', acknowledged);
      expect(statuses.filter((status) => status?.err !== null)).toEqual([]);
      for (const [slot, blockhash] of shown) {
        expect(await lab.result(BLOCKHASH, 'getBlock', slot, { transactionDetails: 'none' })).toEqual({ blockhash });
      }
    }
  });
});

describe('a chain whose service was killed', () => {
  it('keeps running and is adopted by the next start, with all blocks of the meantime', async () => {
    await live();
    await lab.chain.stop();
    const known = await startAndKillService();
    const slot = await lab.controls.mine(3);
    const chain = await lab.start();
    expect(chain).toMatchObject({ origin: 'adopted', ...known });
    expect(await lab.controls.mine()).toBe(slot + 1);
  });

  it('is not mistaken for another process that has its pid', async () => {
    await lab.chain.stop();
    const record = z.looseObject({}).parse(JSON.parse(await readFile(fileOf('solana.json'), 'utf8')));
    await writeFile(fileOf('solana.json'), JSON.stringify({ ...record, pid: process.pid }));
    expect((await lab.start()).origin).toBe('restored');
    await lab.chain.stop();
    expect(isPidAlive(process.pid)).toBe(true);
  });
});

describe('a chain that was stopped', () => {
  it('ends its process, frees its port, and leaves a journal that grows with what happens and not with time', async () => {
    const { pid, port } = lab.chain;
    await lab.controls.mine(2);
    await lab.controls.resume();
    const { length } = await readFile(journal());
    const slot = await lab.result(z.number(), 'getSlot', { commitment: 'processed' });
    await waitFor(async () => {
      const newest = await lab.result(z.number(), 'getSlot', { commitment: 'processed' });
      return newest > slot + 2 || null;
    }, 5_000);
    await lab.chain.stop();
    expect([isPidAlive(pid), await isPortFree(port)]).toEqual([false, true]);
    expect((await readFile(journal())).length - length).toBeLessThan(120);
  });

  it('takes the next port when its own is taken, logs it, and says which', async () => {
    await lab.chain.stop();
    const taken = await findFreePort(0);
    const record = z.looseObject({}).parse(JSON.parse(await readFile(fileOf('solana.json'), 'utf8')));
    await writeFile(fileOf('solana.json'), JSON.stringify({ ...record, port: taken }));
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    const { port } = await lab.start();
    expect(port).not.toBe(taken);
    expect(lab.logged).toEqual([`Port ${taken} is taken: the solana chain listens on ${port}.`]);
    server.close();
  });
});

describe('a new chain', () => {
  it('has test tokens at addresses that never change, and a genesis of its own', async () => {
    const other = await SolanaLab.open();
    try {
      const [mine, others] = [await lab.controls.info(), await other.controls.info()];
      expect(others.mints).toEqual(mine.mints);
      expect(others.accounts).toEqual(mine.accounts);
      expect(others.genesisHash).not.toBe(mine.genesisHash);
      expect(Object.values(mine.mints).map(address)).toHaveLength(3);
    } finally {
      await other.close();
    }
  });
});
