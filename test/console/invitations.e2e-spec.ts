import { runCommand } from '../support/cli-run.js';
import { FLOORED_NOW, query } from '../support/sql.js';
import { ConsoleClient } from './console-client.js';
import { addMember, auditOf, type ConsoleService, PASSWORD, signedIn, startConsole } from './console-service.js';

let service: ConsoleService;
let databaseUrl: string;
beforeAll(async () => {
  service = await startConsole();
  ({ databaseUrl } = service);
});
afterAll(() => service.stop());

const browser = (): ConsoleClient => new ConsoleClient(service.url);
const coffer = (...args: string[]) => runCommand(args, { DATABASE_URL: databaseUrl, BASE_URL: service.url });

/** Runs a command that prints a link. Returns the link's token. */
async function link(...args: string[]): Promise<string> {
  const { code, out, err } = await coffer(...args);
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/admin\/accept#[\w-]{43}\n$/)]);
  expect(err).toContain('within 24 hours');
  return out.trimEnd().split('#')[1] ?? '';
}

const accept = (token: string, password = PASSWORD) => browser().post('/invitations/accept', { token, password });

describe('an invitation', () => {
  it('gives its member the roles, once, with the password that they set', async () => {
    const token = await link('staff', 'invite', '--email', 'Kim@example.com', '--role', 'support', '--env', 'sandbox');
    const { body } = await browser().post('/invitations/read', { token });
    expect(body).toMatchObject({
      object: 'invitation',
      email: 'kim@example.com',
      roles: { sandbox: 'support', live: 'none' },
    });
    expect(Math.round((Date.parse(body['expires_at']) - Date.now()) / 3_600_000)).toBe(24);
    expect((await accept(token, 'short')).body['error']).toMatchObject({ code: 'invalid_request', param: 'password' });
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => accept(token)));
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect((await browser().post('/invitations/read', { token })).status).toBe(404);
    expect((await browser().signIn('kim@example.com', PASSWORD)).status).toBe(200);
    expect((await auditOf(service, 'kim@example.com')).map(({ action }) => action)).toEqual([
      'staff.accept',
      'session.create',
    ]);
  });

  it('ends with the next one, after a day, and when its member is disabled', async () => {
    const invite = ['staff', 'invite', '--email', 'lee@example.com', '--role', 'viewer'];
    const [first, second] = [await link(...invite), await link(...invite)];
    expect((await accept(first)).status).toBe(404);
    await query(service.database, `update staff_invitation set expires_at = ${FLOORED_NOW} where used_at is null`);
    expect((await accept(second)).status).toBe(404);
    const third = await link(...invite);
    expect(await coffer('staff', 'disable', 'lee@example.com')).toMatchObject({ code: 0 });
    expect((await accept(third)).status).toBe(404);
    expect((await accept('x'.repeat(43))).status).toBe(404);
    expect((await accept('x')).status).toBe(404);
  });

  it('stores no token', async () => {
    const token = await link('staff', 'invite', '--email', 'hash@example.com', '--role', 'viewer');
    for (const table of ['staff_invitation', 'audit_entry', 'staff']) {
      expect(JSON.stringify(await query(service.database, `select * from ${table}`))).not.toContain(token);
    }
  });
});

describe('the commands about staff', () => {
  it('end the sessions of a member whose role changes, who is reset or disabled, at once [M-165]', async () => {
    const member = await addMember(service, 'ends@example.com', { sandbox: 'admin' });
    for (const args of [
      ['role', member.email, '--role', 'viewer', '--env', 'sandbox'],
      ['disable', member.email],
    ]) {
      const client = await signedIn(service, member);
      expect(await coffer('staff', ...args)).toMatchObject({ code: 0, err: '' });
      expect((await client.get('/session')).status).toBe(401);
    }
    for (let n = 0; n < 5; n++) await browser().signIn(member.email, 'wrong');
    expect((await browser().signIn(member.email, PASSWORD)).status).toBe(429);
    const token = await link('staff', 'reset', member.email);
    expect((await browser().signIn(member.email, PASSWORD)).status).toBe(401);
    expect((await accept(token, 'another long password')).status).toBe(200);
    const { body } = await browser().signIn(member.email, 'another long password');
    expect(body['staff'].roles).toEqual({ sandbox: 'viewer', live: 'none' });
    const entries = await query<{ action: string; before: unknown; after: unknown }>(
      service.database,
      `select action, before, after from audit_entry where subject = $1 and action like 'staff.%' order by id`,
      [member.id],
    );
    const state = (role: string, status: string) => ({ sandbox_role: role, live_role: 'none', status });
    expect(entries.slice(0, 3)).toEqual([
      { action: 'staff.role', before: state('admin', 'active'), after: state('viewer', 'active') },
      { action: 'staff.disable', before: state('viewer', 'active'), after: state('viewer', 'disabled') },
      { action: 'staff.reset', before: state('viewer', 'disabled'), after: state('viewer', 'invited') },
    ]);
  });

  it('take the authenticator and the recovery codes of a member who is reset', async () => {
    const member = await addMember(service, 'totp@example.com', { sandbox: 'viewer' }, { totp: true });
    await query(service.database, `insert into staff_recovery_code values ($1, 'x')`, [member.id]);
    await link('staff', 'reset', member.email);
    const [row] = await query<object>(
      service.database,
      `select totp_secret, password_hash, (select count(*)::int from staff_recovery_code where staff_id = $1) as codes
         from staff where id = $1`,
      [member.id],
    );
    expect(row).toEqual({ totp_secret: null, password_hash: null, codes: 0 });
  });

  it('list who has which role, and refuse what makes no sense', async () => {
    await addMember(service, 'listed@example.com', { sandbox: 'viewer', live: 'support' }, { totp: true });
    const { out } = await coffer('staff', 'list');
    expect(out).toMatch(/^E-MAIL +STATUS +SANDBOX +LIVE +AUTHENTICATOR\n/);
    expect(out).toMatch(/listed@example\.com +active +viewer +support +yes\n/);
    const json = (await coffer('staff', 'list', '--json')).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(json.find(({ email }) => email === 'listed@example.com')).toMatchObject({
      status: 'active',
      roles: { sandbox: 'viewer', live: 'support' },
      authenticator: true,
    });
    const again = await coffer('staff', 'invite', '--email', 'listed@example.com', '--role', 'admin');
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain('listed@example.com has an account already. Use staff role or staff reset.');
    expect((await coffer('staff', 'role', 'nobody@example.com', '--role', 'admin')).err).toContain('No such member');
    expect((await coffer('staff', 'invite', '--email', 'nonsense', '--role', 'admin')).code).toBe(2);
    expect((await coffer('staff', 'invite', '--email', 'a@example.com', '--role', 'owner')).code).toBe(2);
    expect((await coffer('staff', 'invite', '--email', 'a@example.com', '--role', 'admin', '--env', 'x')).code).toBe(2);
  });
});

describe('the team', () => {
  it('shows an administrator who has which role, sign-in and sessions, of one environment', async () => {
    const admin = await signedIn(service, await addMember(service, 'boss@example.com', { sandbox: 'admin' }));
    const kim = await addMember(service, 'sessions@example.com', { sandbox: 'viewer' });
    await addMember(service, 'elsewhere@example.com', { live: 'viewer' });
    const both = await addMember(service, 'both@example.com', { sandbox: 'viewer', live: 'viewer' });
    await signedIn(service, both);
    const before = Date.now();
    await signedIn(service, kim);
    await signedIn(service, kim);
    const { body } = await admin.get('/sandbox/team');
    const members = new Map<string, Record<string, unknown>>(
      body['data'].map((member: { email: string }) => [member.email, member]),
    );
    expect(members.has('elsewhere@example.com')).toBe(false);
    const shown = members.get(kim.email);
    expect(shown).toMatchObject({ status: 'active', roles: { sandbox: 'viewer', live: 'none' }, totp_enabled: false });
    expect(shown?.['sessions']).toMatchObject([{ address: '127.0.0.1' }, { address: '127.0.0.1' }]);
    // An administrator of the sandbox alone does not see when and from where members of live work.
    expect(members.get(both.email)).toMatchObject({ sessions_hidden: true, last_sign_in_at: null, sessions: [] });
    // The clocks of this process and of the database are those of one machine.
    expect(Date.parse(String(shown?.['last_sign_in_at']))).toBeGreaterThan(before - 5_000);
    expect(JSON.stringify(body)).not.toMatch(/password|argon2/);
  });

  it('locks a member out at once, and no administrator, and nobody with a role where the caller is none', async () => {
    const boss = await addMember(service, 'locks@example.com', { sandbox: 'admin' });
    const admin = await signedIn(service, boss);
    const kim = await addMember(service, 'locked@example.com', { sandbox: 'support' });
    const reason = 'They have left.';
    const session = await signedIn(service, kim);
    const endSessions = async () => (await admin.post(`/sandbox/team/${kim.id}/end-sessions`, { reason })).body;
    expect(await endSessions()).toEqual({ object: 'locked_member', id: kim.id, disabled: false });
    expect((await session.get('/session')).status).toBe(401);
    const again = await signedIn(service, kim);
    expect((await admin.post(`/sandbox/team/${kim.id}/disable`, { reason })).status).toBe(200);
    expect((await again.get('/session')).status).toBe(401);
    expect((await browser().signIn(kim.email, PASSWORD)).status).toBe(401);
    expect(await endSessions()).toEqual({ object: 'locked_member', id: kim.id, disabled: true });
    const audited = (await auditOf(service, boss.email)).filter(({ subject }) => subject === kim.id);
    expect(audited).toMatchObject([
      { action: 'staff.end_sessions', environment: 'sandbox', role: 'admin', details: { sessions: '1' } },
      { action: 'staff.disable', environment: 'sandbox', role: 'admin' },
      { action: 'staff.end_sessions', environment: 'sandbox', role: 'admin', details: { sessions: '0' } },
    ]);
    const other = await addMember(service, 'other-boss@example.com', { sandbox: 'admin' });
    const live = await addMember(service, 'live@example.com', { sandbox: 'viewer', live: 'viewer' });
    const refused = await admin.post(`/sandbox/team/${other.id}/disable`, { reason });
    expect([refused.status, refused.body['error'].message]).toEqual([
      409,
      `An administrator is disabled in a shell: npx coffer staff disable ${other.email}`,
    ]);
    for (const action of ['disable', 'end-sessions']) {
      expect((await admin.post(`/sandbox/team/${live.id}/${action}`, { reason })).status).toBe(403);
    }
    expect((await admin.post('/sandbox/team/stf_unknown/disable', { reason })).status).toBe(404);
  });

  it('ends the other sessions of oneself, and keeps this one', async () => {
    const boss = await addMember(service, 'myself@example.com', { sandbox: 'admin' });
    const [here, there] = [await signedIn(service, boss), await signedIn(service, boss)];
    expect((await here.post(`/sandbox/team/${boss.id}/end-sessions`, { reason: 'A lost laptop.' })).status).toBe(200);
    expect((await here.get('/session')).status).toBe(200);
    expect((await there.get('/session')).status).toBe(401);
  });
});

describe('the audit log of the console', () => {
  it('shows and exports what was done, by exact filters, and its own export', async () => {
    const boss = await addMember(service, 'auditor@example.com', { sandbox: 'admin' });
    const admin = await signedIn(service, boss);
    const { body: merchant } = await admin.post('/sandbox/merchants', {
      name: '=HYPERLINK("x")',
      reason: 'The contract is signed.',
    });
    const { body } = await admin.get(`/sandbox/audit?subject=${merchant['id']}`);
    expect(body['data']).toMatchObject([
      {
        actor: boss.email,
        role: 'admin',
        environment: 'sandbox',
        action: 'merchant.create',
        after: { name: '=HYPERLINK("x")' },
        reason: 'The contract is signed.',
        address: '127.0.0.1',
        request_id: expect.stringMatching(/^req_/),
      },
    ]);
    // Sign-ins belong to no environment; without a live network they are shown in sandbox.
    const outside = await admin.get(`/sandbox/audit?actor=${boss.email}&place=outside`);
    expect(outside.body['data']).toMatchObject([{ action: 'session.create', environment: null }]);
    const file = await fetch(`${service.url}/admin/api/sandbox/audit.csv?actor=${boss.email}`, {
      headers: { Cookie: admin.cookie, 'X-Coffer-Console': '1', Origin: service.url },
    });
    const lines = (await file.text()).trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'id,created_at,actor,role,environment,action,subject,reason,details,before,after,address,request_id',
    );
    expect(lines.map((line) => line.split(',')[5])).toEqual([
      'action',
      'audit.export',
      'merchant.create',
      'session.create',
    ]);
    expect((await admin.get('/sandbox/audit-seal')).body).toMatchObject({ holds: null, findings: [] });
  });
});
