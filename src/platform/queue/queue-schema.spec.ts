import { LATEST_SCHEMA_VERSION } from 'bullmq';
import { type FreshDatabase, freshDatabase } from '../../../test/support/database-url.js';
import { withClient } from '../database/migrate.js';
import { isQueueMigrated, migrateQueue } from './queue-schema.js';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

it('asks for the schema of the BullMQ that is installed, and for none older', async () => {
  await withClient(fresh.url, async (client) => {
    expect(await isQueueMigrated(client)).toBe(false);
    await migrateQueue(client);
    expect(await isQueueMigrated(client)).toBe(true);
    await client.query('delete from bullmq.migration where version = $1', [LATEST_SCHEMA_VERSION]);
    expect(await isQueueMigrated(client)).toBe(false);
  });
});
