import { Test, type TestingModule } from '@nestjs/testing';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { AppModule } from '../app.module.js';
import { parseConfig, ROLES } from '../platform/config.js';
import { DeclaredMethods } from '../platform/declared-methods.js';
import { createLogger } from '../platform/logging.js';
import { JOB_HANDLER } from '../platform/queue/job-handler.js';
import { whichFind } from '../platform/recurring/found-work.sql.js';
import { RecurringJobs } from '../platform/recurring/recurring-jobs.service.js';

/**
 * Every recurring job: `every` in milliseconds, its role, which processes of the role run it, whether it also runs at the
 * start or at the election, and whether it runs only when it has work. Change it only on purpose.
 */
const RECURRING = `
    1000 vault  all         SigningJobs.signAll
    1000 vault  all         VaultHeartbeat.beat
    1000 worker all         Broadcaster.sendDue, with work
    1000 worker all         SettlementScheduler.wakeDue, with work
    1000 worker scheduler   ConditionSamples.takeDue, with work
    1000 worker scheduler   Confirmer.confirmAll, with work
    1000 worker scheduler   ExpiringBalances.refresh, with work
    1000 worker scheduler   ExpiringConfirmer.confirmAll, with work
    1000 worker scheduler   HotBalances.refresh, with work
    1000 worker scheduler   PriceSnapshots.takeDue, also at once, with work
    1000 worker scheduler   SandboxTreasury.topUp
    1000 worker scheduler   SentCheck.check
    1000 worker simulations ExpiringSimulator.simulateDue, also at once, with work
    1000 worker simulations PaymentSimulator.simulateDue, also at once, with work
    2000 vault  all         AddressJobs.refill
    2000 worker all         EndpointRecoveryService.execute, with work
    2000 worker all         RefundOutcomeHandler.failOnReplacedChains, with work
    2000 worker all         ReplayFeeder.feed, with work
    2000 worker all         SandboxPayer.wakeDue, with work
    2000 worker all         SettlementScheduler.moveFromReplacedChains, with work
    2000 worker all         SettlementScheduler.wakeDirty, with work
    2000 worker all         SuspenseBooking.bookFinal, with work
    2000 worker all         WithdrawalOutcomeHandler.failOnReplacedChains, with work
    2000 worker scheduler   ExpiringSweepPlanner.plan
    2000 worker scheduler   GasPriceSamples.takeDue, with work
    2000 worker scheduler   StuckTransactions.find, with work
    2000 worker scheduler   SweepOutcomeHandler.giveUp, with work
    2000 worker scheduler   SweepPlanner.plan
    2000 worker scheduler   TopUps.bookFound, with work
    5000 vault  all         AddressJobs.prove
    5000 worker all         RelayService.relay, also at once
    5000 worker scheduler   AuditSealer.seal
    5000 worker scheduler   ReorgedDeposits.check
    5000 worker scheduler   Sealer.seal
   10000 listener all         NodeStates.record
   10000 worker all         AddressPoolWatch.measure
   10000 worker all         BooksAuditor.measure
   10000 worker all         HotBalances.measure
   10000 worker all         IntentWatch.measure
   10000 worker all         PayoutWatch.measure
   10000 worker all         PriceWatch.measure
   10000 worker all         SettlementScheduler.recheckOnHold
   10000 worker all         SuspenseWatch.measure
   10000 worker all         TopUps.measure
   10000 worker scheduler   OtherAccounts.search
   10000 worker scheduler   StakeOutcomeHandler.giveUp
   30000 worker scheduler   DroppedTransactions.sendAgain
   60000 worker scheduler   BooksAuditor.auditDue
   60000 worker scheduler   HourlyStats.fill, also at once
   60000 worker scheduler   IssuerFreezes.check
  600000 worker scheduler   AttemptPruning.prune
  600000 worker scheduler   BooksAuditor.prune
  600000 worker scheduler   GasPriceSamples.prune
  600000 worker scheduler   IdempotencyRecords.prune
  600000 worker scheduler   PriceSnapshots.prune
  600000 worker scheduler   RequestPruning.prune
  600000 worker scheduler   StaffPruning.prune
`;

const HANDLERS = {
  'events.relay': 'RelayService.relay',
  'fees.sample': 'GasPriceSamples.takeDue',
  'intents.settle': 'SettlementService.settleAll',
  'payments.simulate': 'PaymentSimulator.simulateDue',
  'sandbox.pay': 'SandboxPayer.execute',
  'treasury.broadcast': 'Broadcaster.sendDue',
  'treasury.replace': 'SigningJobs.signReplacement',
  'wallets.refill': 'AddressJobs.refill',
  'webhooks.deliver': 'DelivererService.drain',
  'webhooks.recover': 'EndpointRecoveryService.execute',
  'webhooks.replay': 'ReplayFeeder.feed',
  'withdrawals.sign': 'SigningJobs.signWithdrawals',
};

let db: TestDatabase;
let app: TestingModule;

beforeAll(async () => {
  db = await freshDatabase();
  const runtime = {
    databaseUrl: db.url,
    secretsKey: '00'.repeat(32),
    vault: null,
    chains: [],
    devChains: [],
    baseUrl: () => '',
  };
  const config = parseConfig({ ROLES: ROLES.join(',') });
  const parts = { config, runtime, logger: createLogger('silent'), orm: db.orm };
  // Created but not started: nothing runs.
  app = await Test.createTestingModule({ imports: [AppModule.with(parts)] }).compile();
});
afterAll(async () => {
  await app.close();
  await db.drop();
});

it('a process of all roles runs these recurring jobs', () => {
  const jobs = app.get(RecurringJobs).all();
  const lines = jobs.map(({ name, declaration: { every, role, leader, atOnce, when } }) => {
    const columns = [String(every).padStart(8), role.padEnd(6), (leader ?? 'all').padEnd(11), name];
    return columns.join(' ') + (atOnce === true ? ', also at once' : '') + (when === undefined ? '' : ', with work');
  });
  expect(lines.toSorted()).toEqual(RECURRING.split('\n').filter((line) => line !== ''));
});

it('the database accepts the statements that find work, and they find none in an empty one', async () => {
  const jobs = app.get(RecurringJobs).all();
  const statements = jobs.flatMap(({ declaration: { when } }) => when ?? []);
  expect(statements).not.toHaveLength(0);
  expect(await db.database.rows(whichFind(statements))).toEqual([]);
});

it('each job of the queues has one handler', () => {
  const handlers = app.get(DeclaredMethods).find<string>(JOB_HANDLER);
  const byJob = handlers.map(({ declaration, name }): [string, string] => [declaration, name]);
  expect(byJob.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual(Object.entries(HANDLERS));
});
