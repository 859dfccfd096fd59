import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { runCommand } from '../../../test/support/cli-run.js';
import type { Finding } from './doctor-finding.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

async function told(url: string): Promise<Finding | undefined> {
  const { out } = await runCommand(['doctor', '--json'], { DATABASE_URL: url, ROLES: 'listener' });
  const findings = out.trimEnd().split('\n');
  return findings.map((line) => JSON.parse(line) as Finding).find(({ check }) => check === 'database role');
}

it('doctor warns of a service that owns its tables, or may do what it need not, and of no other [H-101]', async () => {
  expect(await told(db.url)).toMatchObject({ level: 'ok' });
  expect(await told(db.ownerUrl)).toMatchObject({
    level: 'warn',
    detail: expect.stringContaining('the owner of its tables: whoever takes it over can switch off what guards'),
  });
  const database = new URL(db.url).pathname.slice(1);
  await db.owner.query(`grant temporary on database ${database} to public`);
  expect(await told(db.url)).toMatchObject({
    level: 'warn',
    detail: expect.stringContaining('may make tables, if only temporary ones'),
  });
  await db.owner.query(`revoke temporary on database ${database} from public`);
  await db.owner.query(`grant update on posting to ${new URL(db.url).username}`);
  expect(await told(db.url)).toMatchObject({ level: 'warn', detail: expect.stringMatching(/ on posting$/) });
});
