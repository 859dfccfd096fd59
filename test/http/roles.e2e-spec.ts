import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/platform/config.js';
import { createLogger } from '../../src/platform/logging.js';
import { dataFilesOf } from '../../src/app/start/data-files.js';
import { type RunningService, startService } from '../../src/app/start/service.js';
import { ApiClient } from '../support/api-client.js';
import { startWorld, type World } from '../support/world.js';
import { addressOf, intentWithAddress, untilStatus } from './intents.js';

let world: World;
let dataDir: string;
let apiOnly: RunningService;
let api: ApiClient;
beforeAll(async () => {
  world = await startWorld({ env: { ROLES: 'worker,listener,vault' } });
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-api-'));
  // Any attempt to read a vault here fails, even as root.
  await mkdir(dataFilesOf(dataDir).vault);
  const config = parseConfig({
    NODE_ENV: 'test',
    ROLES: 'api',
    DATA_DIR: dataDir,
    DATABASE_URL: world.databaseUrl,
    SECRETS_KEY: '5e'.repeat(32),
    PORT: '0',
    LOG_LEVEL: 'silent',
  });
  apiOnly = await startService(config, createLogger(config.logLevel));
  api = new ApiClient(apiOnly.url, world.apiKey);
});
afterAll(async () => {
  await apiOnly.stop();
  await world.stop();
  await rm(dataDir, { recursive: true, force: true });
});

it('a process with only the role api assigns addresses without passphrase, vault, prices or nodes [L-153]', async () => {
  const intent = await intentWithAddress(api);
  const amount = BigInt(intent.crypto_amount ?? '');
  await world.chain('polygon').pay({ to: addressOf(intent), token: 'USDC', amount });
  const completed = await untilStatus(api, intent.id, 'completed');
  expect(completed.received_amount_cents).toBe(2500);
});

it('a process without the role api answers only monitors', async () => {
  expect((await fetch(`${world.url}/health/live`)).status).toBe(200);
  expect((await fetch(`${world.url}/health/ready`)).status).toBe(200);
  const headers = { Authorization: `Bearer ${world.apiKey}` };
  for (const path of ['/v1/payment-intents', '/openapi.json', '/docs']) {
    expect((await fetch(world.url + path, { headers })).status).toBe(404);
  }
});
