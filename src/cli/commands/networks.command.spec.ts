import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: db.url });

it('coffer networks pauses a listener and resumes it once, and records the operator and the reason', async () => {
  const { chainRef } = await aChain(db.database);
  const where = ['--network', 'polygon', '--env', 'sandbox'];
  expect(await coffer('networks', 'pause', ...where, '--reason', 'new nodes')).toMatchObject({
    code: 0,
    out: 'PAUSED: nothing is read from sandbox/polygon.\n',
  });
  const again = await coffer('networks', 'pause', ...where, '--reason', 'new nodes');
  expect([again.code, again.err]).toEqual([expect.any(Number), expect.stringContaining('was paused by')]);
  expect(again.code).not.toBe(0);
  expect((await coffer('doctor')).out).toContain('paused by staff, at block 100');
  expect(await coffer('networks', 'resume', ...where, '--reason', 'they work')).toMatchObject({
    code: 0,
    out: 'RESUMED: reading continues on sandbox/polygon.\n',
  });
  expect((await coffer('networks', 'resume', ...where)).err).toContain('--reason');
  const audited = await db.query(`select action, subject, reason from audit_entry order by id`);
  expect(audited).toEqual([
    { action: 'listener.pause', subject: chainRef, reason: 'new nodes' },
    { action: 'listener.resume', subject: chainRef, reason: 'they work' },
  ]);
});
