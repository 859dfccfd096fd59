import { type INestApplicationContext, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { CONFIG, type Role } from '../config.js';
import { DeclaredMethods } from '../declared-methods.js';
import { LeaseKeeper } from '../leases.js';
import { createLogger, LOGGER } from '../logging.js';
import { RecurringJob } from './recurring-job.js';
import { RecurringJobs } from './recurring-jobs.service.js';

const EVERY_MS = 20;

/** Jobs that count their runs. */
class CountedJobs {
  readonly runs: Record<string, number> = {};
  /** Blocked by `slow`. */
  readonly gate = Promise.withResolvers<void>();

  @RecurringJob({ role: 'worker', every: EVERY_MS })
  async everywhere(): Promise<void> {
    this.count('everywhere');
  }

  @RecurringJob({ role: 'worker', every: EVERY_MS })
  async slow(): Promise<void> {
    this.count('slow');
    await this.gate.promise;
  }

  @RecurringJob({ role: 'worker', every: EVERY_MS })
  async failing(): Promise<void> {
    this.count('failing');
    throw new Error('No node answers.');
  }

  @RecurringJob({ role: 'worker', every: EVERY_MS, leader: 'simulations' })
  async led(): Promise<void> {
    this.count('led');
  }

  @RecurringJob({ role: 'worker', every: 3_600_000, leader: 'scheduler', atOnce: true })
  async elected(): Promise<void> {
    this.count('elected');
  }

  @RecurringJob({ role: 'worker', every: 3_600_000, atOnce: true })
  async started(): Promise<void> {
    this.count('started');
  }

  @RecurringJob({ role: 'vault', every: EVERY_MS })
  async signing(): Promise<void> {
    this.count('signing');
  }

  private count(job: string): void {
    this.runs[job] = (this.runs[job] ?? 0) + 1;
  }
}

@Module({})
class Process {}

let db: TestDatabase;
let log: LogLines;
const open: { app: INestApplicationContext; leases: LeaseKeeper; jobs: CountedJobs }[] = [];

beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());
beforeEach(() => {
  log = new LogLines();
});
afterEach(async () => {
  for (const { app, leases, jobs } of open.splice(0)) {
    jobs.gate.resolve();
    await app.close();
    await leases.stop();
  }
});

const keeper = (): LeaseKeeper => new LeaseKeeper(db.database, { leaseTtlMs: 1_000 }, createLogger('silent'));

/** Starts a process with these roles; all of them have the jobs. */
async function start(...roles: Role[]): Promise<CountedJobs> {
  const jobs = new CountedJobs();
  const leases = keeper();
  const app = await NestFactory.createApplicationContext(
    {
      module: Process,
      imports: [DiscoveryModule, ScheduleModule.forRoot()],
      providers: [
        DeclaredMethods,
        RecurringJobs,
        { provide: 'jobs', useFactory: () => jobs },
        { provide: 'the same', useExisting: 'jobs' },
        { provide: LeaseKeeper, useFactory: () => leases },
        { provide: CONFIG, useValue: { roles: new Set(roles) } },
        { provide: LOGGER, useValue: createLogger('info', { destination: log }) },
      ],
    },
    { logger: false },
  );
  open.push({ app, leases, jobs });
  return jobs;
}

const ran = (jobs: CountedJobs, job: string, times: number): Promise<true> =>
  eventually(() => (jobs.runs[job] ?? 0) >= times || undefined);

it('a process runs the jobs of its roles, and not a job of another role', async () => {
  const worker = await start('worker');
  const vault = await start('api', 'vault');
  await ran(worker, 'everywhere', 3);
  await ran(vault, 'signing', 3);
  expect(worker.runs).not.toHaveProperty('signing');
  expect(Object.keys(vault.runs)).toEqual(['signing']);
});

it('a running job is not started again', async () => {
  const worker = await start('worker');
  await ran(worker, 'everywhere', 5);
  expect(worker.runs['slow']).toBe(1);
  worker.gate.resolve();
  await ran(worker, 'slow', 2);
});

it('a job runs at the start of its process if declared so', async () => {
  const worker = await start('worker');
  expect(worker.runs['started']).toBe(1);
  await ran(worker, 'everywhere', 3);
  expect(worker.runs['started']).toBe(1);
});

it('a process that stops starts no run, and waits for the current one', async () => {
  const worker = await start('worker');
  await ran(worker, 'slow', 1);
  let isClosed = false;
  const closing = open[0]?.app.close().then(() => (isClosed = true));
  await db.query('select 1');
  const before = { ...worker.runs };
  await db.query('select pg_sleep($1::float8)', [(5 * EVERY_MS) / 1_000]);
  expect(isClosed).toBe(false);
  worker.gate.resolve();
  await closing;
  expect(worker.runs).toEqual(before);
});

it('a job that fails is logged by its name and runs again', async () => {
  const worker = await start('worker');
  await ran(worker, 'failing', 2);
  expect(log.named('A recurring job failed.')).toContainEqual(
    expect.objectContaining({
      job: 'CountedJobs.failing',
      err: expect.objectContaining({ message: 'No node answers.' }),
    }),
  );
});

it('a job with a leader runs in one process, and at its election if declared so', async () => {
  const first = await start('worker');
  await ran(first, 'elected', 1);
  await ran(first, 'led', 2);
  const second = await start('worker');
  await ran(second, 'everywhere', 5);
  expect(second.runs).not.toHaveProperty('led');
  expect(second.runs).not.toHaveProperty('elected');
});

it('a new worker simulates while a worker of the previous version leads the scheduler [I-116]', async () => {
  const old = keeper();
  old.elect('scheduler', { onElected: () => undefined, onLost: () => undefined });
  await eventually(() => old.holds('scheduler') || undefined);
  const worker = await start('worker');
  await ran(worker, 'led', 1);
  expect(worker.runs).not.toHaveProperty('elected');
  await old.stop();
});
