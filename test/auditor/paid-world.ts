import { Sealer } from '../../src/ledger/sealer.service.js';
import { writeSandboxFile } from '../../src/app/start/first-run.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { FINAL_DEPTH } from '../http/paying.js';
import { runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import {
  fillHotWallet,
  filledPocket,
  freezeMerchant,
  pocketOn,
  untilEnded,
  withdraw,
} from '../withdrawals/withdrawals.js';

/** An intent with its deposit, and one withdrawal each that completed, failed and waits. */
export type PaidIds = Readonly<Record<'deposit' | 'intent' | 'completed' | 'failed' | 'waiting', string>>;

/** A world with rows of every kind that money leaves, all with their events and sealed, which commands can use too. */
export async function startPaidWorld(): Promise<{ readonly world: World; readonly ids: PaidIds }> {
  const world = await startWorld();
  const { api, database, databaseUrl, merchantId } = world;
  await filledPocket(world);
  const intent = await intentWithAddress(api);
  const polygon = world.chain('polygon');
  await polygon.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
  await polygon.mine(FINAL_DEPTH);
  await untilStatus(api, intent.id, 'completed');
  await fillHotWallet(world);
  const pocket = await pocketOn(api, 'polygon');
  const completed = (await withdraw(api, pocket.id)).body.id;
  await untilEnded(api, completed, 'completed');
  await freezeMerchant(database, merchantId, 'for this test');
  const failed = (await withdraw(api, pocket.id)).body.id;
  const chains = world.service.stack?.devChains ?? [];
  await writeSandboxFile(world.dataDir, {
    apiUrl: world.url,
    apiKey: world.apiKey,
    merchantId,
    chains,
    pockets: {},
    admin: { email: 'admin@localhost', password: null },
  });
  const beside = { DATABASE_URL: databaseUrl, DATA_DIR: world.dataDir };
  await runCommand(['withdrawals', 'cancel', failed, '--reason', 'for this test'], beside);
  await untilEnded(api, failed, 'failed');
  const waiting = (await withdraw(api, pocket.id)).body.id;
  const [deposit] = await query<{ id: string }>(database, `select id from deposit where intent_id = $1`, [intent.id]);
  await eventually(
    async () => (await query(database, `select from event where sequence is null`)).length,
    (seen) => seen === 0,
  );
  await world.service.get(Sealer).seal();
  return { world, ids: { deposit: deposit?.id ?? '', intent: intent.id, completed, failed, waiting } };
}
