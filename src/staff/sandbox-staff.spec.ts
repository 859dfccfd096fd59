import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { PasswordHasher } from './password-hasher.service.js';
import { SandboxStaff } from './sandbox-staff.service.js';
import { StaffSessions } from './staff-sessions.service.js';

let db: TestDatabase;
let staff: SandboxStaff;
const hasher = new PasswordHasher();
beforeEach(async () => {
  db = await freshDatabase();
  staff = new SandboxStaff(db.database, hasher, new StaffSessions(db.database));
});
afterEach(() => db.drop());

/** Whether the administrator's password is this one. */
async function isPassword(password: string | null): Promise<boolean> {
  const [row] = await db.query<{ password_hash: string }>(`select password_hash from staff`);
  return hasher.verify(row?.password_hash ?? null, password ?? '');
}

describe('the administrator of a sandbox', () => {
  it('is made once, with a random password and a role in the sandbox alone', async () => {
    const made = await staff.ensureAdmin(null);
    expect(made).toEqual({ email: 'admin@localhost', password: expect.stringMatching(/^[\w-]{20}$/), isNew: true });
    expect(await isPassword(made.password)).toBe(true);
    expect(await db.query('select email, sandbox_role, live_role from staff')).toEqual([
      { email: 'admin@localhost', sandbox_role: 'admin', live_role: 'none' },
    ]);
    expect(await staff.ensureAdmin(made.password)).toEqual({ ...made, isNew: false });
    expect(JSON.stringify(await db.query('select * from audit_entry'))).not.toContain(made.password);
  });

  it('gets another password when the file that kept it is lost', async () => {
    const first = await staff.ensureAdmin(null);
    const second = await staff.ensureAdmin(null);
    expect(second).toMatchObject({ isNew: true });
    expect(second.password).not.toBe(first.password);
    expect([await isPassword(first.password), await isPassword(second.password)]).toEqual([false, true]);
  });

  it('keeps the password that its owner has set, and stays disabled', async () => {
    const { password } = await staff.ensureAdmin(null);
    await db.query(`update staff set password_set_at = now() + interval '1 second'`);
    const left = { email: 'admin@localhost', password: null, isNew: false };
    expect(await staff.ensureAdmin(password)).toEqual(left);
    await db.query('update staff set password_set_at = created_at, disabled_at = now()');
    expect(await staff.ensureAdmin(null)).toEqual(left);
    expect(await isPassword(password)).toBe(true);
  });
});
