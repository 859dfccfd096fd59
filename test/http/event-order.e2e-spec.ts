import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EventBody } from '../../src/events/event-envelope.js';
import type { ListPage } from '../../src/http/pagination.js';
import { startReceiver } from '../outbound/receiver-zoo.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { codeBlock, readDocument } from '../support/markdown.js';
import { SeededRandom } from '../support/seeded-random.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, intentWithAddress } from './intents.js';
import { newMerchant } from './paying.js';

const PAYMENTS = 80;
/** Processing, payment received, completed. */
const EVENTS = PAYMENTS * 3;
/** Reads and writes of the sample after which it is killed, at the most. */
const PLACES_MAX = 60;

/** Loaded before the sample: kills the process before or after one of its reads and writes, given in `KILL_AT`. */
const KILLER = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let places = Number(process.env.KILL_AT);
  const place = () => { if (--places === 0) process.kill(process.pid, 'SIGKILL'); };
  const { fetch } = globalThis;
  globalThis.fetch = async (...args) => { place(); const answer = await fetch(...args); place(); return answer; };
  const { appendFileSync } = fs;
  fs.appendFileSync = (...args) => { place(); appendFileSync(...args); place(); };
  syncBuiltinESMExports();`;

let world: World;
let api: ApiClient;
let dir: string;
let handled: string;
beforeAll(async () => {
  world = await startWorld({ env: { WALLET_POOL_TARGET: '200' } });
  api = await newMerchant(world);
  dir = await mkdtemp(join(tmpdir(), 'coffer-events-'));
  handled = join(dir, 'handled.txt');
  await writeFile(join(dir, 'catch-up.mjs'), codeBlock(readDocument('docs/webhooks.md'), 'catch-up-node'));
  await writeFile(join(dir, 'killer.mjs'), KILLER);
});
afterAll(async () => {
  await world.stop();
  await rm(dir, { recursive: true });
});

/** As many payments as there are intents, in one block. */
async function payAtOnce(): Promise<void> {
  const chain = world.chain('polygon');
  const intents = await Promise.all(Array.from({ length: PAYMENTS }, () => intentWithAddress(api)));
  await chain.setAutomine(false);
  for (const intent of intents) {
    await chain.send({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
  }
  await chain.setAutomine(true);
  await chain.mine();
}

/** Runs the sample of docs/webhooks.md until it ends or is killed at its n-th read or write. */
async function catchUp(killAt: number): Promise<'ended' | 'killed'> {
  const args = ['--import', join(dir, 'killer.mjs'), join(dir, 'catch-up.mjs'), world.url, api.apiKey, handled];
  const sample = spawn(process.execPath, args, { env: { KILL_AT: String(killAt) } });
  const complaints = text(sample.stderr);
  const [code, signal] = await once(sample, 'exit');
  expect({ code, signal, complaints: await complaints }).toEqual(
    signal === null ? { code: 0, signal, complaints: '' } : { code: null, signal: 'SIGKILL', complaints: '' },
  );
  return signal === null ? 'ended' : 'killed';
}

const linesOf = async (file: string): Promise<string[]> => (await readFile(file, 'utf8')).trimEnd().split('\n');

/** Every event of the merchant that the query asks for, page by page. */
async function allEvents(query: Readonly<Record<string, string>>): Promise<EventBody[]> {
  const events: EventBody[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const asked = new URLSearchParams(cursor === '' ? query : { ...query, starting_after: cursor });
    const page: ListPage<EventBody> = (await api.get<ListPage<EventBody>>(`/v1/events?${asked.toString()}`)).body;
    events.push(...page.data);
    cursor = page.next_cursor;
  }
  return events;
}

it(`${PAYMENTS} payments at once: the recovery sample, killed again and again meanwhile, handles each event once and in order`, async () => {
  const chance = new SeededRandom(11);
  let isPaid = false;
  const paying = payAtOnce().then(() => (isPaid = true));
  let kills = 0;
  await eventually(async () => {
    const outcome = await catchUp(chance.between(1, PLACES_MAX));
    if (outcome === 'killed') kills += 1;
    return isPaid && outcome === 'ended' && (await linesOf(handled)).length === EVENTS;
  }, 150_000);
  await paying;
  const events = await allEvents({ after_sequence: '0', limit: '100' });
  expect(await linesOf(handled)).toEqual(events.map(({ sequence, id, type }) => `${sequence} ${id} ${type}`));
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: EVENTS }, (_, n) => n + 1));
  expect(kills).toBeGreaterThan(3);
});

it('lists what happened at once in the order of the sequence, which is not that of created_at', async () => {
  const newestFirst = await allEvents({ limit: '17' });
  expect(newestFirst.map(({ sequence }) => sequence)).toEqual(Array.from({ length: EVENTS }, (_, n) => EVENTS - n));
  const inverted = newestFirst.filter(({ created_at: at }, n) => at < (newestFirst[n + 1]?.created_at ?? ''));
  expect(inverted.length).toBeGreaterThan(0);
  // Between any two moments stand exactly the events of that time, in the same order.
  const moments = [...new Set(newestFirst.map(({ created_at: at }) => at))].toSorted();
  const [from = '', until = ''] = [moments.at(moments.length / 4), moments.at(-moments.length / 4)];
  const between = await allEvents({ limit: '10', created_gte: from, created_lt: until });
  expect(between).toEqual(newestFirst.filter(({ created_at: at }) => at >= from && at < until));
});

it('the recovery sample stops at a missing event, and has handled nothing after it', async () => {
  const page = { object: 'list', has_more: false, next_cursor: null };
  const events = [1, 2, 4].map((sequence) => ({ sequence, id: `evt_${sequence}`, type: 'ping' }));
  const service = await startReceiver((_request, response) => response.end(JSON.stringify({ ...page, data: events })));
  const file = join(dir, 'gap.txt');
  const args = [join(dir, 'catch-up.mjs'), `http://127.0.0.1:${service.port}`, 'key', file];
  const sample = spawn(process.execPath, args);
  const complaints = text(sample.stderr);
  expect(await once(sample, 'exit')).toEqual([1, null]);
  await service.close();
  expect(await complaints).toContain('Error: Event 3 is missing.');
  expect(await linesOf(file)).toEqual(['1 evt_1 ping', '2 evt_2 ping']);
});
