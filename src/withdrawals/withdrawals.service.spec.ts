import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, aPriceSnapshot } from '../../test/support/factories.js';
import { createdIntent } from '../../test/support/intent-services.js';
import { RecordingQueue } from '../../test/support/recording-queue.js';
import { runtimeServing } from '../../test/support/served-chains.js';
import { withPoolOf } from '../../test/support/small-pool.js';
import { query } from '../../test/support/sql.js';
import { untilOneWaitsForALock } from '../../test/support/waiting-for-lock.js';
import { writePlanned } from '../../test/support/write-planned.js';
import type { Tenant } from '../domain/tenant.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { type DepositAccounts, PocketsService } from '../ledger/pockets.service.js';
import { NetworkViews } from '../offers/network-views.service.js';
import type { Database, Tx } from '../platform/database/database.js';
import { PricingService } from '../pricing/pricing.service.js';
import { createLogger } from '../platform/logging.js';
import { FeeQuotes } from '../treasury/fees/fee-quotes.service.js';
import { TreasuryChains } from '../treasury/treasury-chains.service.js';
import { DestinationAccounts } from './destination-accounts.service.js';
import { WithdrawalChecks } from './withdrawal-checks.service.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import type { CreateWithdrawalBody, WithdrawalObject } from './withdrawal.schema.js';
import { WithdrawalsService } from './withdrawals.service.js';

const ledger = new LedgerService();
const DOLLAR = 10n ** 6n;
const CENT = 10n ** 4n;
const ORDERED_CENTS = 2_500;

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let pocketId: string;
let accounts: DepositAccounts;
let withdrawals: WithdrawalsService;
let wakes: RecordingQueue;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  await query(
    database,
    `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
  );
});
afterAll(() => db.drop());

beforeEach(async () => {
  await query(database, `update chain set active = false`);
  const chain = await aChain(database);
  await query(
    database,
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at) values ($1, 30e9, 30e9, 40e9, now())`,
    [chain.chainRef],
  );
  await aPriceSnapshot(database, { USDC: '1', POL: '0.25' });
  tenant = await aMerchant(database);
  accounts = await database.transaction((tx) =>
    new PocketsService().depositAccounts(tx, tenant, { ...chain, minorUnitExponent: 2 }),
  );
  const [pocket] = await query<{ id: string }>(database, `select id from pocket where merchant_id = $1`, [
    tenant.merchantId,
  ]);
  pocketId = pocket?.id ?? '';
  await book('deposit', 100n * DOLLAR);
  wakes = new RecordingQueue();
  const fees = new FeeQuotes(new PricingService(database));
  const checks = new WithdrawalChecks(new NetworkViews(database), fees);
  const chains = new TreasuryChains(database, runtimeServing([]), createLogger('silent'));
  withdrawals = new WithdrawalsService(database, checks, new DestinationAccounts(database, chains), wakes.queue);
});

/** Moves money from the chain into the pocket, or out of it when negative. */
function book(name: string, amount: bigint, tx?: Tx): Promise<boolean> {
  const { asset, chainAccountId, availableAccountId } = accounts;
  const legs = [
    { accountId: availableAccountId, asset, amount },
    { accountId: chainAccountId, asset, amount: -amount },
  ];
  const reference = `${name}:${pocketId}`;
  const bookIn = (joined: Tx) => ledger.book(joined, { reference, kind: 'deposit', environment: 'sandbox', legs });
  return tx === undefined ? database.transaction(bookIn) : bookIn(tx);
}

const body = (fields: Partial<CreateWithdrawalBody> = {}): CreateWithdrawalBody => ({
  pocket_id: pocketId,
  amount_cents: ORDERED_CENTS,
  destination: `0x${'7a'.repeat(20)}`,
  fee_strategy: 'standard',
  ...fields,
});

type Accept = (fields?: Partial<CreateWithdrawalBody>) => Promise<WithdrawalObject>;

/** A withdrawal is accepted in one statement, or in a transaction when its pocket has just changed. */
const atOnce: Accept = async (fields) => writePlanned(database, await withdrawals.plan(tenant, body(fields)));
const inTransaction: Accept = (fields) =>
  database.transaction((tx) => withdrawals.accept(tx, tenant, { ...body(fields), opensAccount: null }));

interface Books {
  readonly withdrawals: number;
  readonly available: bigint;
  readonly held: bigint;
}

async function books(): Promise<Books> {
  const [row] = await query<{ withdrawals: number; available: string; held: string }>(
    database,
    `select (select count(*)::int from withdrawal where pocket_id = pocket.id) as withdrawals,
            available.balance as available, held.balance as held
       from pocket join account available on available.id = available_account_id
                   join account held on held.id = held_account_id
      where pocket.id = $1`,
    [pocketId],
  );
  if (row === undefined) throw new Error('There is no pocket.');
  return { withdrawals: row.withdrawals, available: BigInt(row.available), held: BigInt(row.held) };
}

describe.each([
  ['one statement', atOnce],
  ['a transaction', inTransaction],
])('accepting a withdrawal in %s', (_way, accept) => {
  it('holds amount and fee, books one entry, and answers with its row [spec 4.6]', async () => {
    const answer = await accept({ reference: 'payroll' });
    const held = 25n * DOLLAR + BigInt(answer.network_fee_cents) * CENT;
    expect(answer).toMatchObject({ status: 'broadcasting', amount_cents: ORDERED_CENTS, reference: 'payroll' });
    expect(await new WithdrawalReader(database).get(tenant, answer.id)).toEqual(answer);
    expect(await books()).toEqual({ withdrawals: 1, available: 100n * DOLLAR - held, held });
    const legs = await query(
      database,
      `select kind, amount from entry join posting on posting.entry_id = entry.id where reference = $1 order by amount`,
      [`withdrawal:${answer.id}`],
    );
    expect(legs).toEqual([-held, held].map((amount) => ({ kind: 'withdrawal', amount: String(amount) })));
  });

  it('is refused while another one of the pocket has not ended [spec 8 concurrent withdrawals]', async () => {
    await accept();
    const before = await books();
    await expect(accept()).rejects.toMatchObject({ code: 'pocket_locked' });
    expect(await books()).toEqual(before);
  });

  it('is refused when the pocket has less than amount and fee', async () => {
    await expect(accept({ amount_cents: 10_000 })).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await books()).toEqual({ withdrawals: 0, available: 100n * DOLLAR, held: 0n });
  });

  it('does not find the pocket of another merchant, or of the other environment [B-20] [B-21]', async () => {
    const owner = tenant;
    for (const stranger of [await aMerchant(database), { ...owner, environment: 'live' } as const]) {
      tenant = stranger;
      await expect(accept()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await books()).toMatchObject({ withdrawals: 0 });
  });

  it('is one of 8 that were asked for at the same time [D-41]', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => accept({ amount_cents: 100 })));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'pocket_locked' });
    }
    expect(await books()).toMatchObject({ withdrawals: 1 });
  });

  it('wakes a worker once it has committed', async () => {
    await expect(accept({ amount_cents: 10_000 })).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await wakes.woken('payments.simulate')).toEqual([]);
    await accept();
    expect(await wakes.woken('payments.simulate')).toEqual([{}]);
  });
});

describe('a withdrawal that is planned', () => {
  it('is refused when another one is accepted before its statement runs, and holds nothing', async () => {
    const planned = await withdrawals.plan(tenant, body());
    await atOnce({ amount_cents: 100 });
    const before = await books();
    await expect(writePlanned(database, planned)).rejects.toMatchObject({ code: 'pocket_locked' });
    expect(await books()).toEqual(before);
  });

  it('is refused when the money has left the pocket before its statement runs', async () => {
    const planned = await withdrawals.plan(tenant, body());
    await book('reversal', -99n * DOLLAR);
    await expect(writePlanned(database, planned)).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await books()).toEqual({ withdrawals: 0, available: DOLLAR, held: 0n });
  });

  it('is refused when it waited for another one that was accepted [D-41]', async () => {
    const planned = await withdrawals.plan(tenant, body());
    const refused = await whileItWaits(planned, (tx) =>
      withdrawals.accept(tx, tenant, { ...body({ amount_cents: 100 }), opensAccount: null }),
    );
    expect(refused).toMatchObject({ code: 'pocket_locked' });
    expect(await books()).toMatchObject({ withdrawals: 1 });
  });

  it('is refused when it waited for an entry that took the money', async () => {
    const planned = await withdrawals.plan(tenant, body());
    const refused = await whileItWaits(planned, (tx) => book('reversal', -99n * DOLLAR, tx));
    expect(refused).toMatchObject({ code: 'insufficient_balance' });
    expect(await books()).toEqual({ withdrawals: 0, available: DOLLAR, held: 0n });
  });

  it('is accepted when it waited for a deposit, and holds no more than it asked for', async () => {
    const planned = await withdrawals.plan(tenant, body());
    const answer = await whileItWaits(planned, (tx) => book('more', 30n * DOLLAR, tx));
    expect(answer).toMatchObject({ status: 'broadcasting' });
    const { available, held } = await books();
    expect([available + held, held < 26n * DOLLAR]).toEqual([130n * DOLLAR, true]);
  });

  it('does not hold up new intents while it waits', async () => {
    const planned = await withdrawals.plan(tenant, body());
    const deposit = (tx: Tx) => book('more', DOLLAR, tx);
    await withPoolOf(2, db.url, async (small) => {
      await createdIntent(small, tenant);
      const answer = await whileItWaits(planned, deposit, small, async () => {
        expect(await createdIntent(small, tenant)).toMatchObject({ status: 'requires_action' });
      });
      expect(answer).toMatchObject({ status: 'broadcasting' });
    });
  });

  /** Runs a plan while a transaction has locks that it waits for. Returns its answer, or its error. */
  async function whileItWaits(
    planned: Awaited<ReturnType<WithdrawalsService['plan']>>,
    work: (tx: Tx) => Promise<unknown>,
    on = database,
    meanwhile = async (): Promise<void> => {},
  ): Promise<unknown> {
    let answer: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await work(tx);
      answer = writePlanned(on, planned).catch((error: unknown) => error);
      await untilOneWaitsForALock(database);
      await meanwhile();
    });
    return answer;
  }
});

describe('a preview', () => {
  it('names every check that fails and changes nothing, also while a withdrawal is in flight', async () => {
    await atOnce();
    const before = await books();
    const preview = await writePlanned(
      database,
      await withdrawals.planPreview(tenant, body({ amount_cents: 10_000, destination: `0x${'0'.repeat(40)}` })),
    );
    expect(preview).toMatchObject({ would_succeed: false });
    expect(preview.failing_checks.map(({ code }) => code)).toEqual([
      'address_network_mismatch',
      'pocket_locked',
      'insufficient_balance',
    ]);
    expect(await books()).toEqual(before);
  });
});
