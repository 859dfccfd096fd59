import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { z } from 'zod';
import { TronDevChainDirectory } from '../support/tron-dev-chain-directory.js';
import { runTypeScriptChild } from '../support/typescript-child.js';
import { findFreePort, isPidAlive, isPortFree, waitFor } from '../../src/platform/processes.js';
import type { TronProcess } from '../../src/devtools/devnet/tron/tron-process.js';

const MODULE = new URL('../../src/devtools/devnet/tron/tron-process.ts', import.meta.url).href;
const PAYEE = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const IDENTITY = z.object({ url: z.string(), genesisId: z.string(), pid: z.number() });
const BLOCK = z.object({
  blockID: z.string(),
  block_header: z.object({ raw_data: z.object({ timestamp: z.number() }) }),
});
/** Of a process with the compiled code; the sources of a test need more. */
const MEMORY_MAX_KB = 160_000;

let dir: TronDevChainDirectory;

beforeEach(async () => {
  dir = await TronDevChainDirectory.create();
});
afterEach(() => dir.remove());

const ask = async <T>(
  { url }: { readonly url: string },
  schema: z.ZodType<T>,
  path: string,
  body: unknown = {},
): Promise<T> => {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return schema.parse(await response.json());
};
const headOf = async (chain: TronProcess): Promise<number> => (await chain.controls.info()).head;

async function killed(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await waitFor(() => (isPidAlive(pid) ? null : true), 5_000);
}

/** Starts the chain in another process and kills that process, but not the chain. Returns the chain as it was. */
async function startAndKillService(): Promise<z.infer<typeof IDENTITY>> {
  const options = `{ dir: ${JSON.stringify(dir.path)}, preferredPort: 0, blockIntervalMs: 50, log: () => {} }`;
  const service = await runTypeScriptChild(`
    import { runTronChain } from ${JSON.stringify(MODULE)};
    const { url, genesisId, pid } = await runTronChain(${options});
    console.log(JSON.stringify({ url, genesisId, pid }));
    setInterval(() => {}, 1000);
  `);
  await service.kill();
  return IDENTITY.parse(JSON.parse(service.firstLine));
}

/** The blocks of the chain by their numbers. */
async function blocksOf(chain: TronProcess, last: number): Promise<unknown[]> {
  const numbers = Array.from({ length: last + 1 }, (_, num) => num);
  return Promise.all(numbers.map((num) => ask(chain, z.unknown(), '/wallet/getblockbynum', { num })));
}

describe('a new tron development chain', () => {
  it('makes a block every interval by itself, on slots, and follows with the solid one', async () => {
    const chain = await dir.start();
    expect(chain.origin).toBe('new');
    const first = await chain.controls.info();
    await waitFor(async () => ((await headOf(chain)) >= first.head + 25 ? true : null), 10_000);
    await chain.controls.pause();
    const { head, solid } = await chain.controls.info();
    expect(solid).toBe(head - 19);
    const { block_header: header } = await ask(chain, BLOCK, '/wallet/getblockbynum', { num: head });
    const { block_header: before } = await ask(chain, BLOCK, '/wallet/getblockbynum', { num: head - 1 });
    expect((header.raw_data.timestamp - before.raw_data.timestamp) % 50).toBe(0);
    expect(header.raw_data.timestamp).toBeLessThanOrEqual(Date.now());
  });

  it('stands still while it is paused, and continues when it is resumed', async () => {
    const chain = await dir.start();
    await chain.controls.pause();
    const head = await headOf(chain);
    await chain.controls.mine(2);
    expect(await headOf(chain)).toBe(head + 2);
    await chain.controls.resume();
    expect(await waitFor(async () => ((await headOf(chain)) > head + 4 ? true : null), 10_000)).toBe(true);
  });

  it('has tokens at the same addresses as every other, and a genesis of its own', async () => {
    const other = await TronDevChainDirectory.create();
    const [one, two] = await Promise.all([dir.start(), other.start()]);
    expect(two.tokens).toEqual(one.tokens);
    expect(two.genesisId).not.toBe(one.genesisId);
    await other.remove();
  });

  it('listens on this machine alone, and stays small', async () => {
    const { pid, port } = await dir.start();
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').filter((line) => / 0A /.test(line));
    expect(sockets.filter((line) => line.includes(`:${hex} `)).map((line) => line.trim().split(/\s+/)[1])).toEqual([
      `0100007F:${hex}`,
    ]);
    const [, memory] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
    expect(Number(memory)).toBeLessThan(MEMORY_MAX_KB);
  });

  it('uses the next port when one is taken, logs it, and keeps that port', async () => {
    const taken = await findFreePort(0);
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    const chain = await dir.start(taken);
    expect(dir.logged).toEqual([`Port ${taken} is taken: the tron chain listens on ${chain.port}.`]);
    server.close();
    await once(server, 'close');
    await chain.stop();
    expect((await dir.start(taken)).port).toBe(chain.port);
  });
});

describe('a tron development chain after an orderly stop', () => {
  it('is restored with the same blocks, and frees its port meanwhile', async () => {
    const first = await dir.start();
    await first.controls.fund(PAYEE, null, 5_000_000n);
    await first.controls.pause();
    await first.controls.mine(3);
    const head = await headOf(first);
    const blocks = await blocksOf(first, head);
    await first.stop();
    expect(await isPortFree(first.port)).toBe(true);
    expect(isPidAlive(first.pid)).toBe(false);
    const second = await dir.start();
    expect(second).toMatchObject({ origin: 'restored', url: first.url, genesisId: first.genesisId });
    expect(await blocksOf(second, head)).toEqual(blocks);
    expect(dir.logged).toEqual([]);
  });
});

describe('a tron development chain whose service was killed', () => {
  it('keeps running and is adopted by the next start, with all blocks of the meantime', async () => {
    const known = await startAndKillService();
    expect(isPidAlive(known.pid)).toBe(true);
    const chain = await dir.start();
    expect(chain).toMatchObject({ origin: 'adopted', ...known });
    const head = await headOf(chain);
    expect(await waitFor(async () => ((await headOf(chain)) > head ? true : null), 10_000)).toBe(true);
    await chain.stop();
    expect(isPidAlive(known.pid)).toBe(false);
  });

  it('is not mistaken for another process that has its pid', async () => {
    await (await dir.start()).stop();
    const record = await dir.record();
    await writeFile(dir.fileOf('tron.json'), JSON.stringify({ ...record, startedAt: new Date(), pid: process.pid }));
    const chain = await dir.start();
    expect(chain.origin).toBe('restored');
    await chain.stop();
    expect(isPidAlive(process.pid)).toBe(true);
  });
});

describe('a tron development chain that is killed together with its service', () => {
  it('comes back as the same chain, with everything that it acknowledged', async () => {
    const first = await dir.start();
    await first.controls.pause();
    await first.controls.fund(PAYEE, 'USDT', 5_000_000n);
    const { head } = await first.controls.mine(2);
    const blocks = await blocksOf(first, head);
    const pending = await first.controls.fund(PAYEE, null, 5_000_000n);
    await killed(first.pid);
    const second = await dir.start();
    expect(second).toMatchObject({ origin: 'restored', url: first.url, genesisId: first.genesisId });
    expect(await blocksOf(second, head)).toEqual(blocks);
    await second.controls.mine();
    const found = z.object({ id: z.literal(pending), blockNumber: z.number() });
    expect((await ask(second, found, '/wallet/gettransactioninfobyid', { value: pending })).blockNumber).toBe(head + 1);
  });

  it('loses no accepted transaction however often it is killed, while payments come in', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const chain = await dir.start();
      for (let sent = 0; sent < 5; sent += 1) ids.push(await chain.controls.fund(PAYEE, null, 1_000_000n));
      await killed(chain.pid);
    }
    const chain = await dir.start();
    await chain.controls.mine();
    const isIncluded = async (value: string): Promise<boolean> =>
      'id' in (await ask(chain, z.record(z.string(), z.unknown()), '/wallet/gettransactioninfobyid', { value }));
    expect(await Promise.all(ids.map(isIncluded))).toEqual(ids.map(() => true));
    const account = await ask(chain, z.object({ balance: z.number() }), '/wallet/getaccount', {
      address: PAYEE,
      visible: true,
    });
    expect(account.balance).toBe(15_000_000);
  });

  it('starts over when its journal is damaged, logs it, and keeps the file', async () => {
    const first = await dir.start();
    await first.stop();
    const text = await readFile(dir.fileOf('tron.journal'), 'utf8');
    await writeFile(dir.fileOf('tron.journal'), text.replace('{"block"', '{"bl'));
    const second = await dir.start();
    expect(second.origin).toBe('new');
    expect(second.genesisId).not.toBe(first.genesisId);
    expect(dir.logged[0]).toContain('cannot be repeated and was moved to');
    expect(await readdir(dir.path)).toContain('tron.journal.unreadable');
  });
});
