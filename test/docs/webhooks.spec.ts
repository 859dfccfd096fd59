import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ATTEMPTS_MAX, RETRY_BASE_MS, retryDelayMs } from '../../src/domain/webhook-retry-schedule.js';
import { DEFAULT_EVENT_TYPES, EVENT_TYPES } from '../../src/domain/event-type.js';
import { signWebhook } from '../../src/domain/webhook-signature.js';
import { codeBlock, readDocument, sectionOf, tableUnder } from '../support/markdown.js';

const document = readDocument('docs/webhooks.md');

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coffer-docs-'));
  await writeFile(join(dir, 'verify.mjs'), codeBlock(document, 'verify-node'));
  await writeFile(join(dir, 'receiver.mjs'), codeBlock(document, 'receiver-node'));
});
afterAll(() => rm(dir, { recursive: true }));

describe('the code of docs/webhooks.md', () => {
  it('acknowledges signed requests, handles an event once, and refuses changed ones', async () => {
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
  it('explains every event type, and names those that endpoints get by default', () => {
    expect(tableUnder(document, 'Events').map(([type]) => type)).toEqual(expect.arrayContaining([...EVENT_TYPES]));
    expect(tableUnder(document, 'Events')).toHaveLength(EVENT_TYPES.length);
    for (const type of EVENT_TYPES) expect(sectionOf(document, 'Events')).toContain(`\`${type}\``);
    for (const type of DEFAULT_EVENT_TYPES) {
      expect(sectionOf(document, 'Register an endpoint')).toContain(`\`${type}\``);
    }
  });

  it.each(['docs/webhooks.md Retries and dead letters', 'README.md Webhook delivery'])(
    'has the schedule of the code: %s',
    (place) => {
      const [, path = '', heading = ''] = /^(\S+) (.+)$/.exec(place) ?? [];
      const schedule = tableUnder(readDocument(path), heading).map(([attempt, next = '']) => ({
        attempt: Number(attempt),
        ms: /^\d/.test(next) ? Number(next.replace(' s', '')) * 1000 : null,
      }));
      const attempts = Array.from({ length: ATTEMPTS_MAX }, (_, index) => index + 1);
      expect(schedule).toEqual(attempts.map((attempt) => ({ attempt, ms: retryDelayMs(attempt, RETRY_BASE_MS) })));
    },
  );

  it.each([
    ['docs/webhooks.md', 3],
    ['docs/operations.md', 1],
  ])('has the number of attempts of the code in its sentences too: %s', (path, count) => {
    const words = [...readDocument(path).matchAll(/failed (\w+) times|after the (\w+)(?= (?:failed|the delivery))/gi)];
    const [cardinal, ordinal] = [
      ['three', 'four', 'five', 'six', 'seven'],
      ['third', 'fourth', 'fifth', 'sixth', 'seventh'],
    ];
    const numbers = words.map(
      ([, times = '', nth = '']) => 3 + Math.max(cardinal.indexOf(times), ordinal.indexOf(nth)),
    );
    expect(numbers).toEqual(Array.from({ length: count }, () => ATTEMPTS_MAX));
  });

  it('names the attempts that the table of docs/architecture.md allows', () => {
    expect(readDocument('docs/architecture.md')).toContain(`attempts 1 to ${ATTEMPTS_MAX};`);
  });
});
