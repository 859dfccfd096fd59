import { KIM } from '../../test/support/console-actor.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { untilOneWaitsForALock } from '../../test/support/waiting-for-lock.js';
import type { Tx } from '../platform/database/database.js';
import { StaffAccounts } from './staff-accounts.service.js';
import { StaffSessions } from './staff-sessions.service.js';
import { Team } from './team.service.js';

const EMAIL = 'kim@example.com';

let db: TestDatabase;
let accounts: StaffAccounts;
let team: Team;
beforeEach(async () => {
  db = await freshDatabase();
  const sessions = new StaffSessions(db.database);
  accounts = new StaffAccounts(sessions);
  team = new Team(db.database, accounts, sessions);
  await db.database.transaction((tx) => accounts.invite(tx, EMAIL, { sandbox: 'viewer' }, 'ann'));
});
afterEach(() => db.drop());

/** Disables the member in the console, as an administrator of both environments. */
async function disableInConsole(tx: Tx): Promise<void> {
  const [member] = await db.query<{ id: string }>('select id from staff');
  const roles = { sandbox: 'admin', live: 'admin' } as const;
  const now = new Date();
  const times = { expiresAt: now, idleExpiresAt: now, stepUpUntil: now };
  const session = { id: 'ses_1', staffId: 'stf_bob', email: KIM.actor, roles, totpEnabled: true, ...times };
  await team.disable(tx, member?.id ?? '', { session, author: KIM, reason: 'They have left.' });
}

describe('the account of a member', () => {
  it.each<[name: string, change: (tx: Tx) => Promise<unknown>]>([
    ['new roles', (tx) => accounts.setRoles(tx, EMAIL, { live: 'support' }, 'bob')],
    ['a reset', (tx) => accounts.reset(tx, EMAIL, 'bob')],
    ['a second invitation', (tx) => accounts.invite(tx, EMAIL, { live: 'support' }, 'bob')],
    ['the end of the account', (tx) => accounts.disable(tx, EMAIL, 'bob')],
    ['the end of the account in the console', disableInConsole],
  ])(
    'is changed by one after the other of two at once: %s begins where other roles have ended',
    async (_name, change) => {
      const second: Promise<unknown>[] = [];
      await db.database.transaction(async (tx) => {
        await accounts.setRoles(tx, EMAIL, { sandbox: 'support' }, 'ann');
        second.push(db.database.transaction(change));
        await untilOneWaitsForALock(db.database);
      });
      await Promise.all(second);
      const [first, last] = await db.query<{ before: object; after: object }>(
        'select before, after from audit_entry order by id offset 1',
      );
      expect(first?.after).toEqual({ sandbox_role: 'support', live_role: 'none', status: 'invited' });
      expect(last?.before).toEqual(first?.after);
      const [stored] = await db.query<{ state: object }>(
        `select jsonb_build_object('sandbox_role', sandbox_role, 'live_role', live_role, 'status',
                case when disabled_at is null then 'invited' else 'disabled' end) as state from staff`,
      );
      expect(last?.after).toEqual(stored?.state);
    },
  );
});
