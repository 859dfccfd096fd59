import { query } from '../support/sql.js';
import { ConsoleClient } from './console-client.js';
import {
  addMember,
  auditOf,
  codeOf,
  type ConsoleService,
  forgetFailures,
  type Member,
  outdateProofs,
  PASSWORD,
  signedIn,
  startConsole,
} from './console-service.js';

let service: ConsoleService;
beforeAll(async () => {
  // Live networks make the authenticator mandatory.
  service = await startConsole({ live: true });
});
afterEach(() => forgetFailures(service));
afterAll(() => service.stop());

const browser = (): ConsoleClient => new ConsoleClient(service.url);
const attempt = async (email: string, proof: object = {}) => {
  const { status, body } = await browser().signIn(email, PASSWORD, proof);
  return [status, body['error']?.code ?? null];
};

/** Sets an authenticator up, as its member does. Returns its secret and the recovery codes. */
async function setUp(client: ConsoleClient): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body: begun } = await client.post('/session/totp');
  const { status, body } = await client.post('/session/totp/confirm', { code: codeOf({ secret: begun['secret'] }) });
  expect(status).toBe(200);
  return { secret: begun['secret'], recoveryCodes: body['recovery_codes'] };
}

describe('an authenticator', () => {
  it('is mandatory where a live network is configured: nothing else works before', async () => {
    const member = await addMember(service, 'new@example.com', { sandbox: 'admin', live: 'admin' });
    const client = await signedIn(service, member);
    expect((await client.get('/session')).body['staff']).toMatchObject({ totp_enabled: false, totp_required: true });
    const before = client.cookie;
    const { recoveryCodes } = await setUp(client);
    expect(recoveryCodes).toHaveLength(10);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(client.cookie).not.toBe(before);
    expect((await client.get('/session')).body['staff']).toMatchObject({ totp_enabled: true });
    const [{ totp_secret: sealed, pending_totp_secret: pending } = {}] = await query<Record<string, Buffer | null>>(
      service.database,
      'select totp_secret, pending_totp_secret from staff where id = $1',
      [member.id],
    );
    expect([sealed?.length ?? 0, pending]).toEqual([1 + 12 + 16 + 32, null]);
  });

  it('is asked for once the password is right, and never before', async () => {
    await addMember(service, 'both@example.com', { live: 'viewer' }, { totp: true });
    expect(await attempt('both@example.com')).toEqual([401, 'code_required']);
    const { body } = await browser().signIn('both@example.com', 'wrong password');
    expect(body['error'].code).toBe('unauthorized');
  });

  it('gives codes that work once, also at two places at the same time [M-167]', async () => {
    const member = await addMember(service, 'once@example.com', { live: 'viewer' }, { totp: true });
    const code = codeOf(member);
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => attempt(member.email, { code })));
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1);
    expect(await attempt(member.email, { code })).toEqual([401, 'unauthorized']);
    // An earlier code is no longer accepted either, although its time is not over.
    expect(await attempt(member.email, { code: codeOf(member, -1) })).toEqual([401, 'unauthorized']);
  });

  it('gives five tries at its code, although the password is right each time [M-167]', async () => {
    const member = await addMember(service, 'five@example.com', { live: 'viewer' }, { totp: true });
    const wrong = () => attempt(member.email, { code: wrongCode(member) });
    for (let n = 0; n < 5; n++) {
      expect(await attempt(member.email)).toEqual([401, 'code_required']);
      expect(await wrong()).toEqual([401, 'unauthorized']);
    }
    expect(await wrong()).toEqual([429, 'rate_limited']);
    expect(await attempt(member.email, { code: codeOf(member) })).toEqual([429, 'rate_limited']);
    const refusals = (await auditOf(service, member.email)).filter(({ action }) => action === 'session.refuse');
    expect(refusals.map(({ details }) => details)).toEqual(Array.from({ length: 5 }, () => ({ wrong: 'code' })));
  });

  it('is replaced only with a fresh proof, and the old one works until then', async () => {
    const member = await addMember(service, 'swap@example.com', { live: 'viewer' }, { totp: true });
    const [client, other] = [await signedIn(service, member), browser()];
    other.cookie = client.cookie;
    await outdateProofs(service);
    expect((await client.post('/session/totp')).body['error'].code).toBe('step_up_required');
    expect((await client.post('/session/step-up', { code: codeOf(member, 1) })).status).toBe(200);
    const { body: begun } = await client.post('/session/totp');
    const { body: refused } = await client.post('/session/totp/confirm', { code: codeOf(member) });
    expect(refused['error']).toMatchObject({ code: 'invalid_request', param: 'code' });
    expect((await client.get('/session')).body['staff'].totp_enabled).toBe(true);
    const { status } = await client.post('/session/totp/confirm', { code: codeOf({ secret: begun['secret'] }) });
    expect(status).toBe(200);
    expect((await other.get('/session')).status).toBe(401);
    expect(await attempt(member.email, { code: codeOf({ secret: begun['secret'] }, 1) })).toEqual([200, null]);
  });
});

describe('a recovery code', () => {
  it('replaces one code once, however it is typed, and is stored as a hash', async () => {
    const client = await signedIn(service, await addMember(service, 'lost@example.com', { live: 'viewer' }));
    const { recoveryCodes } = await setUp(client);
    const [first = '', second = ''] = recoveryCodes;
    const kept = JSON.stringify(await query(service.database, 'select * from staff_recovery_code'));
    expect(kept).not.toContain(first);
    const typed = first.replaceAll('-', ' ').toUpperCase();
    expect(await attempt('lost@example.com', { recovery_code: typed })).toEqual([200, null]);
    expect(await attempt('lost@example.com', { recovery_code: first })).toEqual([401, 'unauthorized']);
    expect(await attempt('lost@example.com', { recovery_code: second })).toEqual([200, null]);
    expect((await auditOf(service, 'lost@example.com')).at(-1)).toMatchObject({
      action: 'session.create',
      details: { by: 'recovery code' },
    });
  });
});

describe('a step-up', () => {
  it('needs the code of members who have an authenticator, and gives a new cookie [M-165]', async () => {
    const member = await addMember(service, 'step@example.com', { live: 'admin' }, { totp: true });
    const client = await signedIn(service, member);
    const old = browser();
    old.cookie = client.cookie;
    await outdateProofs(service);
    expect((await client.get('/session')).body['step_up_until']).toBeNull();
    const { body } = await client.post('/session/step-up', { password: PASSWORD });
    expect(body['error'].code).toBe('code_required');
    const code = codeOf(member, 1);
    const { status, body: proved } = await client.post('/session/step-up', { code });
    expect(status).toBe(200);
    expect(Date.parse(proved['step_up_until'])).toBeGreaterThan(Date.now() + 4 * 60_000);
    expect((await old.get('/session')).status).toBe(401);
    expect((await client.post('/session/step-up', { code })).status).toBe(401);
  });

  it('needs the password of members who have none, and counts wrong ones like a sign-in', async () => {
    const member = await addMember(service, 'plain@example.com', { sandbox: 'admin' });
    const client = await signedIn(service, member);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await client.post('/session/step-up', { password: 'wrong' })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    await forgetFailures(service);
    expect((await client.post('/session/step-up', { password: PASSWORD })).status).toBe(200);
  });
});

/** A code of six digits that the member's authenticator does not show now. */
function wrongCode(member: Member): string {
  const shown = new Set([-2, -1, 0, 1, 2].map((shift) => codeOf(member, shift)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !shown.has(code)) ?? '';
}
