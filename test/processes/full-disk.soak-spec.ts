import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../../src/app/entities.js';
import { parseConfig } from '../../src/platform/config.js';
import { Database } from '../../src/platform/database/database.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { createLogger } from '../../src/platform/logging.js';
import { type RunningService, startService } from '../../src/app/start/service.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aChain } from '../support/factories.js';
import { auditBooksOf } from '../support/final-audit.js';
import { openAccount } from '../support/fleet.js';
import { query } from '../support/sql.js';
import { itOnSmallDisk, SmallDisk } from './small-disk.js';

const ORDER = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' };
const TRIES_MAX = 2_000;

/** The rows that every intent must have exactly once, all together. */
const COUNTS = `
  select (select count(*)::int from payment_intent) as intents,
         (select count(*)::int from idempotency_record) as answers`;

itOnSmallDisk()(
  'a full disk of PostgreSQL is 503 and leaves no partial writes; with space again the same keys succeed [K-146]',
  async () => {
    const disk = await SmallDisk.start();
    const orm = await MikroORM.init(ormOptions({ url: disk.url, poolMax: 2, entities: ENTITIES, migrations: [] }));
    const database = new Database(orm);
    let service: RunningService | null = null;
    try {
      const { apiKey } = await openAccount(database);
      await aChain(database);
      const env = { NODE_ENV: 'test', ROLES: 'api', DATABASE_URL: disk.url, SECRETS_KEY: '5e'.repeat(32), PORT: '0' };
      service = await startService(parseConfig({ ...env, RATE_LIMIT_PER_SECOND: '0' }), createLogger('silent'));
      const api = new ApiClient(service.url, apiKey);
      const create = (idempotencyKey: string) => api.post('/v1/payment-intents', ORDER, { idempotencyKey });
      const answers = new Map<string, string>();
      const refused: string[] = [];
      await disk.fill();
      for (let tries = 0; refused.length < 5 && tries < TRIES_MAX; tries++) {
        const key = randomUUID();
        const { status, body, text } = await create(key);
        if (status === 201) answers.set(key, text);
        else {
          expect([status, (body['error'] as { code: string }).code]).toEqual([503, 'service_unavailable']);
          refused.push(key);
        }
      }
      expect(refused).toHaveLength(5);
      // Reads are not affected.
      expect((await api.get('/v1/payment-intents')).status).toBe(200);
      expect(await query(database, COUNTS)).toEqual([{ intents: answers.size, answers: answers.size }]);
      await disk.free();
      for (const key of refused) {
        const { text } = await eventually(
          async () => {
            const answer = await create(key);
            return answer;
          },
          (answer) => answer.status === 201,
        );
        answers.set(key, text);
      }
      for (const [key, text] of [...answers].slice(-50)) expect((await create(key)).text).toBe(text);
      expect(await query(database, COUNTS)).toEqual([{ intents: answers.size, answers: answers.size }]);
      await auditBooksOf({ DATABASE_URL: disk.url });
    } finally {
      await service?.stop();
      await orm.close(true);
      await disk.stop();
    }
  },
  120_000,
);
