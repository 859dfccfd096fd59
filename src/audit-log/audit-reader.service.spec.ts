import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { readByPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import { compiled } from '../platform/sql/sql.js';
import { type AuditFilter, auditPage, type AuditPlace, findAuditPlace } from './audit-page.sql.js';
import { AuditReader } from './audit-reader.service.js';

const ENTRIES = 20_000;

let db: TestDatabase;
let reader: AuditReader;
beforeAll(async () => {
  db = await freshDatabase();
  reader = new AuditReader(db.database);
  // Without the trigger that dates them: one entry a minute, in three places.
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `insert into audit_entry (actor, action, subject, details, environment, created_at)
       select 'staff' || n % 7 || '@example.com', 'thing.act' || n % 5, 'thing_' || n % 400, '{}',
              (array['sandbox', 'live', null])[n % 3 + 1], timestamptz '2026-01-01T00:00Z' + (n / 2) * interval '1 minute'
         from generate_series(1, ${ENTRIES}) n`,
    );
  });
  await query(db.owner, `vacuum analyze audit_entry`);
});
afterAll(() => db.drop());

const BOTH: readonly AuditPlace[] = ['sandbox', null];
const FILTERS: readonly (readonly [name: string, filter: AuditFilter])[] = [
  ['nothing', {}],
  ['the author', { actor: 'staff3@example.com' }],
  ['the action', { action: 'thing.act2' }],
  ['the object', { subject: 'thing_17' }],
  ['the first time', { created_gte: new Date('2026-01-05T00:00Z') }],
  ['the last time', { created_lt: new Date('2026-01-03T00:00Z') }],
  [
    'everything',
    {
      actor: 'staff3@example.com',
      action: 'thing.act2',
      subject: 'thing_17',
      created_gte: new Date('2026-01-01T00:00Z'),
      created_lt: new Date('2026-01-07T00:00Z'),
    },
  ],
];

/** The same ids by one plain query over all rows. */
async function expected(places: readonly AuditPlace[], filter: AuditFilter): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    `select id from audit_entry
      where coalesce(environment, 'none') = any($1) and ($2::text is null or actor = $2)
        and ($3::text is null or action = $3) and ($4::text is null or subject = $4)
        and ($5::timestamptz is null or created_at >= $5) and ($6::timestamptz is null or created_at < $6)
      order by created_at desc, id desc limit 60`,
    [
      places.map((place) => place ?? 'none'),
      filter.actor ?? null,
      filter.action ?? null,
      filter.subject ?? null,
      filter.created_gte ?? null,
      filter.created_lt ?? null,
    ],
  );
  return found.map(({ id }) => id);
}

/** The ids of three pages of twenty. */
async function pages(places: readonly AuditPlace[], filter: AuditFilter): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined, page = 0; page < 3; page++) {
    const found = await reader.page(places, filter, { limit: 20, after });
    ids.push(...found.slice(0, 20).map(({ id }) => id));
    if (found.length <= 20) break;
    after = ids.at(-1);
  }
  return ids;
}

describe('the audit log filtered by', () => {
  it.each(FILTERS)('%s has each entry of its places once, newest first, over its pages', async (_name, filter) => {
    for (const places of [BOTH, ['live'], [null]] as const) {
      expect(await pages(places, filter)).toEqual(await expected(places, filter));
    }
  });

  it.each(FILTERS)('%s reads along an index, the first page and a deep one', async (_name, filter) => {
    const [middle] = await db.query<{ id: string }>(
      `select id from audit_entry where environment = 'sandbox' order by created_at desc, id desc offset 4000 limit 1`,
    );
    const [deep] = await db.database.rows(findAuditPlace(middle?.id ?? ''));
    for (const after of [null, deep ?? null]) {
      const { text, values } = compiled(auditPage(BOTH, filter, { after, limit: 26 }));
      for (const mode of ['custom', 'generic'] as const) {
        const read = await readByPlan(mode, db.database, text, values);
        expect(read.scans.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([]);
        // Two short walks, each to its first rows.
        expect(read.pages).toBeLessThan(400);
      }
    }
  });
});

describe('the audit log', () => {
  it('continues after an entry of its places alone', async () => {
    const [other] = await expected(['live'], {});
    for (const after of [other ?? '', '999999999', 'nonsense', '-1']) {
      await expect(reader.page(BOTH, {}, { limit: 5, after })).rejects.toMatchObject({
        details: { param: 'starting_after' },
      });
    }
    expect(await reader.page([], {}, { limit: 5 })).toEqual([]);
  });

  it('is read to its end in batches, up to a count', async () => {
    const read = async (filter: AuditFilter, max: number): Promise<string[]> => {
      const ids: string[] = [];
      for await (const batch of reader.batches(BOTH, filter, max)) ids.push(...batch.map(({ id }) => id));
      return ids;
    };
    const all = await read({ actor: 'staff3@example.com' }, 50_000);
    expect(new Set(all).size).toBe(all.length);
    expect(all.slice(0, 60)).toEqual(await expected(BOTH, { actor: 'staff3@example.com' }));
    expect(all.length).toBeGreaterThan(500);
    expect(await read({}, 1_203)).toHaveLength(1_203);
  });
});
