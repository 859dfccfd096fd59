import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { retryDelayMs } from '../../src/domain/backoff.js';
import { DEFAULT_EVENT_TYPES, EVENT_TYPES, NAMED_EVENT_TYPES } from '../../src/domain/event-type.js';
import { signWebhook } from '../../src/domain/webhook-signature.js';
import { codeBlock, readDocument, sectionOf, tableUnder } from '../support/markdown.js';
import { itWith } from '../support/tools.js';

interface Vector {
  name: string;
  payload: string;
  secret: string;
  header: string;
  now: number;
  valid: boolean;
}

const document = readDocument('docs/webhooks.md');
const vectors: readonly Vector[] = JSON.parse(readDocument('test/vectors/webhook-signatures.json'));
const expected = vectors.map(({ name, valid }) => ({ name, valid }));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coffer-docs-'));
  await writeFile(join(dir, 'verify-webhook.mjs'), codeBlock(document, 'verify-node'));
  await writeFile(join(dir, 'receiver.mjs'), codeBlock(document, 'receiver-node'));
  await writeFile(join(dir, 'verify_webhook.py'), codeBlock(document, 'verify-python'));
});
afterAll(() => rm(dir, { recursive: true }));

/** Runs a program over all vectors; it reads them from its input and prints its verdicts as JSON. */
function verdictsOf(program: string, args: readonly string[]): { name: string; valid: boolean }[] {
  const run = spawnSync(program, args, { cwd: dir, input: JSON.stringify(vectors), encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${program} failed: ${run.error?.message ?? run.stderr}`);
  const verdicts: boolean[] = JSON.parse(run.stdout);
  return vectors.map(({ name }, index) => ({ name, valid: verdicts[index] ?? false }));
}

const NODE_DRIVER = `
import { readFileSync } from 'node:fs';
import { verifyWebhook } from './verify-webhook.mjs';
const vectors = JSON.parse(readFileSync(0));
const verdicts = vectors.map((v) => verifyWebhook(Buffer.from(v.payload), v.header, v.secret, v.now));
console.log(JSON.stringify(verdicts));`;

const PYTHON_DRIVER = `
import json, sys
from verify_webhook import verify_webhook
vectors = json.load(sys.stdin.buffer)
print(json.dumps([verify_webhook(v["payload"].encode(), v["header"], v["secret"], v["now"]) for v in vectors]))`;

describe('the code of docs/webhooks.md', () => {
  it('verifies every test vector rightly in Node', () => {
    expect(verdictsOf(process.execPath, ['--input-type=module', '-e', NODE_DRIVER])).toEqual(expected);
  });

  itWith('python3')('verifies every test vector rightly in Python', () => {
    expect(verdictsOf('python3', ['-c', PYTHON_DRIVER])).toEqual(expected);
  });

  it('receives: acknowledges what is signed, handles an event once, refuses what was changed', async () => {
    const secret = 'whsec_test';
    const receiver = spawn(process.execPath, ['receiver.mjs'], {
      cwd: dir,
      env: { WEBHOOK_SECRET: secret, PORT: '0' },
    });
    const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]();
    const nextLine = async (): Promise<string> => String((await lines.next()).value);
    const port = (await nextLine()).replace('listening on ', '');
    const post = async (body: string, header: string): Promise<number> => {
      const headers = { 'X-Webhook-Signature': header };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
    };
    const body = '{"id":"evt_1","type":"ping","sequence":7,"data":{"id":"we_1"}}';
    const header = signWebhook([secret], body, Math.floor(Date.now() / 1000));
    expect([await post(body, header), await post(body, header), await post(`${body} `, header)]).toEqual([
      204, 204, 400,
    ]);
    expect(await nextLine()).toBe('7 ping we_1');
    receiver.kill();
    await once(receiver, 'exit');
    expect((await lines.next()).done).toBe(true);
  });
});

describe('docs/webhooks.md', () => {
  it('explains every event that is emitted, and names those that can be asked for ahead', () => {
    expect(tableUnder(document, 'Events').map(([type]) => type)).toEqual(expect.arrayContaining([...EVENT_TYPES]));
    expect(tableUnder(document, 'Events')).toHaveLength(EVENT_TYPES.length);
    for (const type of NAMED_EVENT_TYPES) expect(sectionOf(document, 'Events')).toContain(`\`${type}\``);
    for (const type of DEFAULT_EVENT_TYPES) {
      expect(sectionOf(document, 'Register an endpoint')).toContain(`\`${type}\``);
    }
  });

  it.each(['docs/webhooks.md Retries and dead letters', 'README.md Webhook delivery'])(
    'tells the schedule that the code keeps: %s',
    (place) => {
      const [, path = '', heading = ''] = /^(\S+) (.+)$/.exec(place) ?? [];
      const schedule = tableUnder(readDocument(path), heading).map(([attempt, next = '']) => ({
        attempt: Number(attempt),
        ms: /^\d/.test(next) ? Number(next.replace(' s', '')) * 1000 : null,
      }));
      expect(schedule).toEqual([1, 2, 3, 4, 5, 6].map((attempt) => ({ attempt, ms: retryDelayMs(attempt) })));
    },
  );
});
