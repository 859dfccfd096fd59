import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { StaffPruning } from './staff-pruning.service.js';

let db: TestDatabase;
beforeEach(async () => (db = await freshDatabase()));
afterEach(() => db.drop());

it('deletes counts of an hour ago and sessions that ended a week ago, in batches, with the rights of the service', async () => {
  await db.query(
    `insert into sign_in_failure (key_hash, failures, last_at)
     select 'old-' || n, 1, now() - interval '61 minutes' from generate_series(1, 2500) n`,
  );
  await db.query(`insert into sign_in_failure (key_hash, failures, last_at) values ('new', 1, now())`);
  await db.query(
    `insert into staff (id, email, sandbox_role, live_role, created_at) values ('stf_1', 'a@b', 'viewer', 'none', now())`,
  );
  await db.query(
    `insert into staff_session (id, staff_id, token_hash, address, created_at, last_active_at, expires_at, proved_at)
     select 'ses_' || days, 'stf_1', 'hash ' || days, '::1', now(), now(), now() - interval '1 day' * days, now()
       from unnest('{6, 8}'::int[]) as days`,
  );
  await new StaffPruning(db.database).prune();
  expect(await db.query('select key_hash from sign_in_failure')).toEqual([{ key_hash: 'new' }]);
  expect(await db.query('select id from staff_session')).toEqual([{ id: 'ses_6' }]);
});
