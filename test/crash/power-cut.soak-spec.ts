import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { id as topicOf, zeroPadValue } from 'ethers';
import { z } from 'zod';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { findRunningEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';
import { addressOf, getIntent, intentWithAddress } from '../http/intents.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { provideQuickVault } from '../support/quick-vault.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';

const RECOVERED_WITHIN_MS = 30_000;
const TRANSFER = topicOf('Transfer(address,address,uint256)');
const LOGS = z.array(z.object({ transactionHash: z.string() }));

let build: ServiceBuild;
let dir: SandboxDir;
let service: ServiceProcess;

beforeAll(async () => {
  [build, dir] = await Promise.all([bundleService(), sandboxDir()]);
  await provideQuickVault(dir.path);
  service = await start();
});
afterAll(async () => {
  try {
    const database = await findRunningEmbeddedPostgres(join(dir.path, 'postgres'));
    await auditBooksOf({ DATABASE_URL: database?.url ?? '', DATA_DIR: dir.path });
  } finally {
    await service.stop();
    await dir.remove();
  }
});

function start(): Promise<ServiceProcess> {
  const env = { DEV_CHAINS: 'polygon', DEV_BLOCK_INTERVAL_MS: '200', WALLET_POOL_TARGET: '40' };
  return ServiceProcess.start(build, { dataDir: dir.path, env });
}

/** Kills service, PostgreSQL and chain at once, like a power cut, and starts the service again. */
async function cutPower(): Promise<Date> {
  await Promise.all([service.kill(), dir.killAll()]);
  const cutAt = new Date();
  service = await start();
  return cutAt;
}

/** Pays until the order is accepted: a slow machine may answer 503 right after a start. */
async function paidIntent(api: ApiClient): Promise<PaymentIntentObject> {
  const intent = await intentWithAddress(api);
  const idempotencyKey = randomUUID();
  await eventually(async () => {
    const { status, text } = await api.post(`/v1/sandbox/payment-intents/${intent.id}/pay`, {}, { idempotencyKey });
    expect({ status, text }).toMatchObject({ status: 202 });
    return true;
  }, RECOVERED_WITHIN_MS);
  return intent;
}

const paidIntents = async (count: number): Promise<PaymentIntentObject[]> => {
  const api = await service.api();
  return Promise.all(Array.from({ length: count }, () => paidIntent(api)));
};

/** Returns the hashes of the transactions that paid USDC to the address, on the current chain. */
async function transfersTo(address: string): Promise<string[]> {
  const chain = await service.chain('polygon');
  const filter = {
    fromBlock: '0x0',
    address: chain.chain.tokens['USDC']?.address,
    topics: [TRANSFER, null, zeroPadValue(address, 32)],
  };
  return (await chain.ask(LOGS, 'eth_getLogs', filter)).map(({ transactionHash }) => transactionHash);
}

it('an accepted sandbox payment is made exactly once, however often service, database and chain are killed together', async () => {
  const intents = await paidIntents(4);
  await cutPower();
  intents.push(...(await paidIntents(4)));
  // Some payments are on the chain by now.
  await eventually(
    async () => (await getIntent(await service.api(), intents[7]?.id ?? '')).status !== 'requires_action',
  );
  await cutPower();
  intents.push(...(await paidIntents(4)));
  await eventually(
    async () => (await getIntent(await service.api(), intents[0]?.id ?? '')).status === 'completed',
    RECOVERED_WITHIN_MS,
  );
  intents.push(...(await paidIntents(4)));
  const lastCut = await cutPower();

  const api = await service.api();
  for (const { id } of intents) {
    const intent = await eventually(async () => {
      const shown = await getIntent(api, id);
      expect(shown.status).toBe('completed');
      return shown;
    }, RECOVERED_WITHIN_MS);
    expect(intent).toMatchObject({ received_amount_cents: 2500, overpaid_amount_cents: 0 });
    const confirmed = intent.payments.filter(({ status }) => status === 'confirmed');
    expect(confirmed).toHaveLength(1);
    const transfers = await transfersTo(addressOf(intent));
    // One that was final on the chain before the cut may be settled after it, and is not paid again.
    const onThisChain = new Date(intent.completed_at ?? 0) > lastCut ? confirmed.map((paid) => paid.tx_hash) : [];
    expect([[], onThisChain]).toContainEqual(transfers);
  }
});
