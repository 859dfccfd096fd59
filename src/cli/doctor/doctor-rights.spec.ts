import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { runCommand } from '../../../test/support/cli-run.js';
import { query } from '../../../test/support/sql.js';
import type { Finding } from './doctor-finding.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

async function finding(url: string): Promise<Finding | undefined> {
  const { out } = await runCommand(['doctor', '--json'], { DATABASE_URL: url, ROLES: 'listener' });
  const findings = out.trimEnd().split('\n');
  return findings.map((line) => JSON.parse(line) as Finding).find(({ check }) => check === 'database role');
}

it('doctor warns of a service that owns its tables or has too many rights, and of no other [H-101]', async () => {
  expect(await finding(db.url)).toMatchObject({ level: 'ok' });
  expect(await finding(db.ownerUrl)).toMatchObject({
    level: 'warn',
    detail: expect.stringContaining('the owner of its tables: an attacker with this role can disable the guards'),
  });
  const database = new URL(db.url).pathname.slice(1);
  await query(db.owner, `grant temporary on database ${database} to public`);
  expect(await finding(db.url)).toMatchObject({
    level: 'warn',
    detail: expect.stringContaining('may create tables, at least temporary ones'),
  });
  await query(db.owner, `revoke temporary on database ${database} from public`);
  await query(db.owner, `grant update on posting to ${new URL(db.url).username}`);
  expect(await finding(db.url)).toMatchObject({ level: 'warn', detail: expect.stringMatching(/ on posting$/) });
});
