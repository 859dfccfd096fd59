import { randomBytes } from 'node:crypto';
import { keyOfHash } from '../../src/chains/tron/tron-address.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import { NoQueue } from '../../src/platform/queue/job-waker.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { FeeQuotes } from '../../src/treasury/fees/fee-quotes.service.js';
import { DestinationAccounts } from '../../src/withdrawals/destination-accounts.service.js';
import { WithdrawalChecks } from '../../src/withdrawals/withdrawal-checks.service.js';
import { WithdrawalsService } from '../../src/withdrawals/withdrawals.service.js';
import { eventually } from '../support/eventually.js';
import { ExpiringTreasury } from '../support/expiring-treasury.js';
import { RecordingQueue } from '../support/recording-queue.js';
import { TronSweepScene } from '../support/tron-sweep-scene.js';
import { vaultServices } from '../support/vault-services.js';
import { writePlanned } from '../support/write-planned.js';

const DOLLAR = 1_000_000n;

let scene: TronSweepScene;
let treasury: ExpiringTreasury;
beforeAll(async () => {
  scene = await TronSweepScene.open();
  const { db, profile, rig, log } = scene.base;
  treasury = new ExpiringTreasury({ database: db.database, owner: db.owner, profile, rpcUrls: [rig.url], log });
});
afterAll(async () => {
  await treasury.close();
  await scene.close();
});

/** Orders 10 dollars of the pocket to an address that has nothing. */
async function order(destination: string): Promise<string> {
  const { database } = scene.base.db;
  await treasury.readConditions();
  const checks = new WithdrawalChecks(new NetworkViews(database), new FeeQuotes(new PricingService(database)));
  const destinations = new DestinationAccounts(database, treasury.chains);
  const orders = new WithdrawalsService(database, checks, destinations, new NoQueue());
  const [pocket] = await scene.query<{ id: string }>(`select id from pocket where token = 'USDT'`);
  const body = {
    pocket_id: pocket?.id ?? '',
    amount_cents: 1_000,
    destination,
    fee_strategy: 'standard',
    dry_run: false,
  } as const;
  return (await writePlanned(database, await orders.plan(scene.base.tenant, body))).id;
}

/** Signs what can be paid. */
async function sign(): Promise<void> {
  await treasury.readBalances();
  await treasury.simulate();
  await vaultServices(scene.base.db.database, new RecordingQueue().queue).signer.signWaiting(scene.vault);
}

const shown = (id: string) =>
  scene.query<{ status: string; waiting_reason: string | null; signed: boolean }>(
    `select status, waiting_reason, signed_at is not null as signed from withdrawal where id = $1`,
    [id],
  );

describe('a withdrawal on Tron of more than the hot wallet has', () => {
  it('is paid in USDT once a sweep has brought them', async () => {
    const { address } = await scene.intent('USDT');
    await scene.pay(address, 'USDT', 25n * DOLLAR);
    expect(await scene.plan()).toEqual([]);
    const destination = keyOfHash(randomBytes(20).toString('hex'));
    const id = await order(destination);
    await sign();
    expect(await shown(id)).toEqual([{ status: 'broadcasting', waiting_reason: 'coins_missing', signed: false }]);

    expect(await scene.plan()).toMatchObject([{ reason: 'withdrawal' }]);
    await scene.step();
    expect(await scene.step()).toMatchObject([{ reason: 'withdrawal', swept: String(25n * DOLLAR) }]);
    expect(await scene.plan()).toEqual([]);

    // A payment that could not be simulated is paused for a moment.
    await eventually(
      async () => {
        await sign();
        return shown(id);
      },
      ([withdrawal]) => withdrawal?.signed === true,
    );
    await treasury.send();
    await scene.settle();
    await treasury.confirm();
    expect(await shown(id)).toEqual([{ status: 'completed', waiting_reason: null, signed: true }]);
    expect((await scene.holds(destination))[0]).toBe(10n * DOLLAR);
    await scene.expectBooksInOrder();
  });
});
