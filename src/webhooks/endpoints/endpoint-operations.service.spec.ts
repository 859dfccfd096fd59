import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { readByPlan } from '../../../test/support/query-plan.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { EventsService } from '../../events/events.service.js';
import { SecretBox } from '../../platform/secret-box.js';
import { type EndpointFilter, EndpointOperations } from './endpoint-operations.service.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

/** One endpoint in a thousand is disabled, and one in two hundred is of the merchant. */
const COUNT = 4_000;

let db: TestDatabase;
let operations: EndpointOperations;
beforeAll(async () => {
  db = await freshDatabase();
  const secrets = new EndpointSecrets(new SecretBox('5e'.repeat(32)));
  const { queue } = new RecordingQueue();
  operations = new EndpointOperations(
    db.database,
    secrets,
    new WebhookEndpointsService(secrets, new EventsService(queue), queue),
  );
  await db.query(`insert into merchant (id, name) values ('mer_shop', 'Shop'), ('mer_other', 'Other')`);
  await db.query(
    `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, enabled, created_at, updated_at)
     select 'we_' || lpad(n::text, 6, '0'), case when n % 200 = 100 then 'mer_shop' else 'mer_other' end, 'sandbox',
            'https://shop.example/hooks', '{*}', '\\x00', n % 1000 <> 500, now() + n * interval '1 second', now()
       from generate_series(1, $1::int) n`,
    [COUNT],
  );
  await db.owner.em().getConnection().execute('vacuum analyze webhook_endpoint');
});
afterAll(() => db.drop());

/** Reads a page, and returns its ids with the statement that found them, as it was sent. */
async function read(filter: EndpointFilter, after?: string): Promise<{ ids: string[]; statement: string }> {
  const logger = db.orm.config.getLogger();
  const { logQuery } = logger;
  const statements: string[] = [];
  logger.logQuery = (context) => void statements.push(String(context['formatted']));
  try {
    const page = await operations.page('sandbox', filter, { limit: 3, after });
    const statement = statements.find((text) => text.includes('order by'));
    return { ids: page.map(({ endpoint }) => endpoint.id), statement: statement ?? '' };
  } finally {
    logger.logQuery = logQuery;
  }
}

it.each<[filter: EndpointFilter, after: string | undefined, expected: string[]]>([
  [{}, undefined, ['we_004000', 'we_003999', 'we_003998', 'we_003997']],
  [{ enabled: true }, 'we_003501', ['we_003499', 'we_003498', 'we_003497', 'we_003496']],
  [{ enabled: false }, undefined, ['we_003500', 'we_002500', 'we_001500', 'we_000500']],
  [{ enabled: false }, 'we_002500', ['we_001500', 'we_000500']],
  [{ merchant_id: 'mer_shop' }, undefined, ['we_003900', 'we_003700', 'we_003500', 'we_003300']],
  [{ merchant_id: 'mer_shop', enabled: false }, undefined, ['we_003500', 'we_002500', 'we_001500', 'we_000500']],
])('endpoints by %j after %s are the newest that match, read along an index', async (filter, after, expected) => {
  const { ids, statement } = await read(filter, after);
  expect(ids).toEqual(expected);
  const { scans } = await readByPlan('custom', db.database, statement, []);
  expect(scans).toHaveLength(1);
  expect(scans).not.toContainEqual(expect.stringMatching(/^Seq Scan/));
});

it('reads few disabled endpoints among many without the enabled ones', async () => {
  const { statement } = await read({ enabled: false });
  const { scans, pages } = await readByPlan('custom', db.database, statement, []);
  expect(scans).toEqual(['Index Scan on webhook_endpoint by webhook_endpoint_disabled']);
  expect(pages).toBeLessThan(15);
});
