import { LogLines } from '../../test/support/log-lines.js';
import { newApiKey } from '../domain/api-key.js';
import { newWebhookSecret } from '../domain/webhook-signature.js';
import { createLogger } from './logging.js';

const PASSPHRASE = 'correct horse "battery" staple';

let log: LogLines;
beforeEach(() => {
  log = new LogLines();
});
const logger = (): ReturnType<typeof createLogger> =>
  createLogger('info', { destination: log, secrets: [PASSPHRASE, 'f'.repeat(64)] });

describe('secrets', () => {
  it('keeps only the prefix and the last four characters of an API key, wherever it is [B-25]', () => {
    const key = newApiKey('sandbox');
    logger().info({ tried: key, nested: { list: [`key=${key}&x=1`] } }, `refused ${key}`);
    logger().error(new Error(`no merchant for ${newApiKey('live')}`, { cause: new Error(key) }));
    expect(log.texts.join('')).not.toContain(key.slice('sk_sb_'.length, -4));
    const short = `sk_sb_…${key.slice(-4)}`;
    expect(log.lines[0]).toMatchObject({
      tried: short,
      nested: { list: [`key=${short}&x=1`] },
      msg: `refused ${short}`,
    });
    expect(log.texts[1]).toMatch(/no merchant for pk_live_…\w{4}"/);
    expect(log.texts[1]).not.toMatch(/pk_live_\w{5}/);
  });

  it.each([
    ['a webhook secret', newWebhookSecret(), 'whsec_…'],
    ['a bearer token', 'Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
    ['the password of a URL', 'postgres://coffer:hush@db:5432/x', 'postgres://coffer:[redacted]@db:5432/x'],
    ["the vault's passphrase", `opened with ${PASSPHRASE}.`, 'opened with [redacted].'],
    ['the secrets key', `SECRETS_KEY=${'f'.repeat(64)}`, 'SECRETS_KEY=[redacted]'],
  ])('never prints %s [B-25]', (_what, text, expected) => {
    logger().info({ deep: [{ text }] }, text);
    expect(log.lines[0]).toMatchObject({ deep: [{ text: expected }], msg: expected });
  });

  it.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'passphrase',
    'VAULT_PASSPHRASE',
  ])('hides the value of the field %s, at any depth [B-25]', (name) => {
    logger().info({ req: { headers: { [name]: 'a "quoted" value' } }, list: { [name]: ['one', 'two'] } }, 'm');
    expect(log.lines[0]).toMatchObject({ req: { headers: { [name]: '[redacted]' } }, list: { [name]: '[redacted]' } });
  });

  it('redacts in child loggers too', () => {
    logger()
      .child({ authorization: 'Basic eHl6' })
      .warn({ err: new Error(newWebhookSecret()) }, 'child');
    expect(log.lines[0]).toMatchObject({ authorization: '[redacted]', err: { message: 'whsec_…' } });
  });
});

describe('lines', () => {
  it('is one line of JSON whatever a merchant puts into a reference [N-182]', () => {
    const reference = 'a\nb\r{"level":"fatal"}\u001b[31mred\u009b2J\u0000\u2028\u202eeveil';
    logger().info({ reference }, `reference ${reference}`);
    expect(log.texts).toHaveLength(1);
    expect(log.texts[0]).toMatch(/^[\x20-\x7e]+\n$/);
    expect(log.lines[0]).toMatchObject({ level: 'info', reference, msg: `reference ${reference}` });
  });

  it('contains the time in UTC, the level by name, and the process', () => {
    logger().warn('m');
    expect(log.lines[0]).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      pid: process.pid,
      msg: 'm',
    });
  });

  it('drops lines below the level', () => {
    logger().debug('m');
    expect(log.texts).toEqual([]);
  });

  it('takes no longer for a hostile line than for a normal one of the same length', () => {
    const cost = (text: string): number => {
      const startedMs = performance.now();
      logger().info(text);
      return performance.now() - startedMs;
    };
    cost('warm');
    for (const hostile of ['"', '\\"', '://', '://a:', 'Bearer ', 'sk_sb_', 'a'.repeat(9), 'whsec_']) {
      const text = hostile.repeat(50_000 / hostile.length);
      // The machine may pause during one of them.
      expect(Math.min(cost(text), cost(text), cost(text))).toBeLessThan(250);
    }
  });
});
