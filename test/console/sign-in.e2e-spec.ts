import { PasswordHasher } from '../../src/staff/password-hasher.service.js';
import { newToken } from '../../src/staff/secret-token.js';
import { FLOORED_NOW, query } from '../support/sql.js';
import { ConsoleClient } from './console-client.js';
import {
  addMember,
  auditOf,
  type ConsoleService,
  forgetFailures,
  PASSWORD,
  signedIn,
  startConsole,
} from './console-service.js';

let service: ConsoleService;
beforeAll(async () => {
  service = await startConsole();
});
afterEach(() => forgetFailures(service));
afterAll(() => service.stop());

const browser = (): ConsoleClient => new ConsoleClient(service.url);

describe('signing in', () => {
  it('opens a session with the roles and the permissions of its member', async () => {
    await addMember(service, 'vic@example.com', { sandbox: 'viewer', live: 'admin' });
    const { status, body } = await browser().signIn(' Vic@Example.com', PASSWORD);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'session',
      staff: { email: 'vic@example.com', roles: { sandbox: 'viewer', live: 'admin' }, totp_required: false },
      environments: ['sandbox', 'live'],
    });
    expect(body['permissions'].sandbox).toContain('deliveries.read');
    expect(body['permissions'].sandbox).not.toContain('deliveries.replay');
    expect(body['permissions'].live).toContain('endpoints.rotate');
    const inMinutes = (text: string): number => Math.round((Date.parse(text) - Date.now()) / 60_000);
    expect([body['expires_at'], body['idle_expires_at'], body['step_up_until']].map(inMinutes)).toEqual([720, 30, 5]);
  });

  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const client = await signedIn(service, await addMember(service, 'cookie@example.com', { sandbox: 'viewer' }));
    const port = new URL(service.url).port;
    expect(client.setCookie).toMatch(new RegExp(`^coffer_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    const stored = await query<{ token_hash: string }>(service.database, 'select token_hash from staff_session');
    expect(stored.map((row) => row.token_hash)).not.toContain(client.cookie.split('=')[1]);
  });

  it('answers a wrong password and an unknown address alike, and audits no unknown address [M-166]', async () => {
    await addMember(service, 'known@example.com', { sandbox: 'viewer' });
    const known = await browser().signIn('known@example.com', 'wrong password');
    const unknown = await browser().signIn('my secret password', 'wrong password');
    const disabled = await addMember(service, 'off@example.com', { sandbox: 'admin' });
    await query(service.database, 'update staff set disabled_at = now() where id = $1', [disabled.id]);
    const off = await browser().signIn('off@example.com', PASSWORD);
    for (const { status, body } of [known, unknown, off]) {
      expect(status).toBe(401);
      expect(body['error']).toMatchObject({
        code: 'unauthorized',
        message: 'The e-mail address or the password is wrong.',
      });
    }
    expect(await auditOf(service, 'known@example.com')).toMatchObject(
      [{ action: 'session.refuse', details: { wrong: 'password' }, address: '127.0.0.1', request_id: /^req_/ }].map(
        (entry) => ({ ...entry, request_id: expect.stringMatching(entry.request_id) }),
      ),
    );
    expect(JSON.stringify(await query(service.database, 'select * from audit_entry'))).not.toContain('my secret');
  });

  it('takes as long for an unknown address as for a wrong password [M-166]', async () => {
    await addMember(service, 'timed@example.com', { sandbox: 'viewer' });
    // The hash of a test's member is quick; this one is as the service makes it.
    const hash = await service.service.get(PasswordHasher).hash(PASSWORD);
    await query(service.database, `update staff set password_hash = $1 where email = 'timed@example.com'`, [hash]);
    const elapsed = async (email: string): Promise<number> => {
      await forgetFailures(service);
      const start = performance.now();
      await browser().signIn(email, 'wrong password');
      return performance.now() - start;
    };
    const times: { known: number; unknown: number }[] = [];
    for (let n = 0; n < 6; n++) {
      times.push({ known: await elapsed('timed@example.com'), unknown: await elapsed('nobody@example.com') });
    }
    const ratio = Math.min(...times.map((one) => one.unknown)) / Math.min(...times.map((one) => one.known));
    // An answer without a hash comes in a few milliseconds.
    expect(ratio).toBeGreaterThan(0.33);
    expect(ratio).toBeLessThan(3);
  });

  it('admits five of 50 guesses a minute, and tells the rest when to come again [M-166]', async () => {
    await addMember(service, 'guessed@example.com', { sandbox: 'admin' });
    const statuses: number[] = [];
    // Few enough for the 30 s of the first wait, also on a slow machine.
    for (let n = 0; n < 50; n++) {
      const { status, headers } = await browser().signIn('guessed@example.com', `guess number ${n}`);
      statuses.push(status);
      if (status === 429) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
    expect(await auditOf(service, 'guessed@example.com')).toHaveLength(5);
    expect((await browser().signIn('guessed@example.com', PASSWORD)).status).toBe(429);
  });

  it('counts guesses by the address of the connection, whatever X-Forwarded-For says [M-166]', async () => {
    const guess = (n: number) =>
      browser().call('POST', '/session', {
        body: { email: `nobody-${n}@example.com`, password: 'guess' },
        headers: { 'X-Forwarded-For': `198.51.${n}.1` },
      });
    const statuses: number[] = [];
    for (let n = 0; n < 27; n++) statuses.push((await guess(n)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(25);
    expect(statuses.slice(25)).toEqual([429, 429]);
  });
});

describe('a session', () => {
  it('is never the one that the browser came with, whose own ends [M-165]', async () => {
    const member = await addMember(service, 'fixed@example.com', { sandbox: 'viewer' });
    const name = `coffer_${new URL(service.url).port}`;
    const planted = browser();
    planted.cookie = `${name}=${newToken()}`;
    const before = planted.cookie;
    await planted.signIn(member.email, PASSWORD);
    expect(planted.cookie).not.toBe(before);
    const first = planted.cookie;
    await planted.signIn(member.email, PASSWORD);
    expect(planted.cookie).not.toBe(first);
    const old = browser();
    old.cookie = first;
    expect((await old.get('/session')).status).toBe(401);
    expect((await planted.get('/session')).status).toBe(200);
  });

  it('ends when its member signs out, also for a copy of the cookie [M-165]', async () => {
    const client = await signedIn(service, await addMember(service, 'out@example.com', { sandbox: 'viewer' }));
    const copy = browser();
    copy.cookie = client.cookie;
    expect((await client.call('DELETE', '/session')).body).toEqual({ object: 'session', deleted: true });
    expect(client.cookie).toBe('');
    expect((await copy.get('/session')).status).toBe(401);
    const actions = (await auditOf(service, 'out@example.com')).map(({ action }) => action);
    expect(actions).toEqual(['session.create', 'session.end']);
  });

  it('ends after 30 minutes without a request, and after 12 hours in any case', async () => {
    const idle = await signedIn(service, await addMember(service, 'idle@example.com', { sandbox: 'viewer' }));
    await age('idle@example.com', 'last_active_at', '29 minutes 50 seconds');
    expect((await idle.get('/session')).status).toBe(200);
    await age('idle@example.com', 'last_active_at', '30 minutes 1 second');
    expect((await idle.get('/session')).status).toBe(401);

    const long = await signedIn(service, await addMember(service, 'long@example.com', { sandbox: 'viewer' }));
    await query(service.database, `update staff_session set expires_at = ${FLOORED_NOW} where staff_id = $1`, [
      await idOf('long@example.com'),
    ]);
    expect((await long.get('/session')).status).toBe(401);
  });

  it('is kept from becoming idle by what its member does, and not by what pages poll', async () => {
    const client = await signedIn(service, await addMember(service, 'poll@example.com', { sandbox: 'viewer' }));
    const write = (headers: Record<string, string> = {}) =>
      client.call('POST', '/session/step-up', { body: { password: 'wrong' }, headers });
    const idleMinutes = async (): Promise<number> => {
      const { body } = await client.get('/session');
      return Math.round((Date.parse(body['idle_expires_at']) - Date.now()) / 60_000);
    };
    await age('poll@example.com', 'last_active_at', '20 minutes');
    expect(await idleMinutes()).toBe(10);
    await write({ 'X-Coffer-Poll': '1' });
    expect(await idleMinutes()).toBe(10);
    await write();
    expect(await idleMinutes()).toBe(30);
  });

  it('ends at once when its member is disabled [M-165]', async () => {
    const member = await addMember(service, 'disabled@example.com', { sandbox: 'admin' });
    const client = await signedIn(service, member);
    await query(service.database, 'update staff set disabled_at = now() where id = $1', [member.id]);
    expect((await client.get('/session')).status).toBe(401);
  });

  it('is the only one left after a change of the password, with a new cookie [M-165]', async () => {
    const member = await addMember(service, 'change@example.com', { sandbox: 'viewer' });
    const [client, other] = [await signedIn(service, member), await signedIn(service, member)];
    const before = client.cookie;
    const change = (current: string, next: string) =>
      client.post('/session/password', { current_password: current, new_password: next });
    expect((await change('wrong', 'a new long password')).status).toBe(401);
    expect((await change(PASSWORD, 'too short')).body['error']).toMatchObject({ param: 'new_password' });
    expect((await change(PASSWORD, 'change@example.com1')).body['error']).toMatchObject({ param: 'new_password' });
    expect((await change(PASSWORD, 'Password-2026!')).body['error']).toMatchObject({ param: 'new_password' });
    expect((await change(PASSWORD, 'a new long password')).status).toBe(200);
    expect(client.cookie).not.toBe(before);
    expect((await client.get('/session')).status).toBe(200);
    expect((await other.get('/session')).status).toBe(401);
    expect((await browser().signIn(member.email, PASSWORD)).status).toBe(401);
    expect((await browser().signIn(member.email, 'a new long password')).status).toBe(200);
  });
});

describe('a write of the console', () => {
  const write = (headers: Readonly<Record<string, string | null>>, client: ConsoleClient = browser()) =>
    client.call('POST', '/session', { body: { email: 'x@example.com', password: 'wrong' }, headers });

  it.each<[what: string, headers: Readonly<Record<string, string | null>>]>([
    ['from another site', { Origin: 'https://evil.example' }],
    ['from a page without an origin', { Origin: 'null' }],
    ['from the same host on another port', { Origin: 'http://127.0.0.1:1' }],
    ['without an origin', { Origin: null }],
    ['from another site by its own word', { Origin: null, 'Sec-Fetch-Site': 'cross-site' }],
    ['from the same site on another host', { Origin: null, 'Sec-Fetch-Site': 'same-site' }],
  ])('%s is refused, with the address where the console is [M-164]', async (_what, headers) => {
    const { status, body } = await write(headers);
    expect([status, body['error'].code]).toEqual([403, 'forbidden']);
    expect(body['error'].message).toContain(`BASE_URL is ${service.url}`);
  });

  it('without its own header is refused, and so is a form [M-164]', async () => {
    expect((await write({ 'X-Coffer-Console': null })).status).toBe(403);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await write(form)).status).toBe(415);
    expect((await write({ 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  it('is admitted where the browser says that it comes from this very site', async () => {
    expect((await write({ Origin: null, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(401);
  });

  it('of a signed-in member is audited when it is refused [M-164]', async () => {
    const client = await signedIn(service, await addMember(service, 'csrf@example.com', { sandbox: 'admin' }));
    expect((await client.call('DELETE', '/session', { headers: { Origin: 'https://evil.example' } })).status).toBe(403);
    expect((await client.get('/session')).status).toBe(200);
    expect((await auditOf(service, 'csrf@example.com')).at(-1)).toMatchObject({
      action: 'request.refuse',
      details: { code: 'forbidden', method: 'DELETE', path: '/admin/api/session' },
      address: '127.0.0.1',
      request_id: expect.stringMatching(/^req_/),
    });
  });
});

it('answers are never stored, and no page of them can be framed [M-170]', async () => {
  const { headers } = await browser().get('/session');
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
});

const idOf = async (email: string): Promise<string> => {
  const [row] = await query<{ id: string }>(service.database, 'select id from staff where email = $1', [email]);
  return row?.id ?? '';
};

/** Moves a time of a member's sessions back. */
async function age(email: string, column: 'last_active_at', interval: string): Promise<void> {
  await query(service.database, `update staff_session set ${column} = now() - $2::interval where staff_id = $1`, [
    await idOf(email),
    interval,
  ]);
}
