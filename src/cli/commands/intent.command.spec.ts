import { runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent } from '../../../test/support/factories.js';

let db: TestDatabase;
beforeAll(async () => (db = await freshDatabase()));
afterAll(() => db.drop());

const quarantined = () => runCommand(['intent', 'quarantined'], { DATABASE_URL: db.url });

it('lists quarantined intents, the oldest quarantine first, and exits 1', async () => {
  const tenant = await aMerchant(db.database);
  const chain = await aChain(db.database);
  const [newer, older, dirty] = [
    await anIntent(db.database, { tenant, chain }),
    await anIntent(db.database, { tenant, chain }),
    await anIntent(db.database, { tenant, chain }),
  ];
  expect(await quarantined()).toEqual({ code: 0, out: 'INTENT  SINCE  ERROR\n', err: '' });
  await db.query(`delete from dirty_intent`);
  await db.query(
    `insert into dirty_intent (intent_id, failures, last_error, quarantined_at)
     values ($1, 5, 'no token', '2026-01-02T03:04:05Z'), ($2, 5, null, '2026-01-01T00:00:00.120Z'), ($3, 1, 'busy', null)`,
    [newer.id, older.id, dirty.id],
  );
  const { code, out, err } = await quarantined();
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out.split('\n').slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^${older.id} +2026-01-01T00:00:00\\.120Z *$`)),
    expect.stringMatching(new RegExp(`^${newer.id} +2026-01-02T03:04:05\\.000Z +no token$`)),
    '',
  ]);
});
