import { type INestApplicationContext, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { query } from '../../../test/support/sql.js';
import { AskedDatabase, createWorkLeft, workOf } from '../../../test/support/work-left.js';
import { CONFIG, type Role } from '../config.js';
import { Database } from '../database/database.js';
import { DeclaredMethods } from '../declared-methods.js';
import { LeaseKeeper } from '../leases.js';
import { createLogger, LOGGER } from '../logging.js';
import { RecurringJob } from './recurring-job.js';
import { RecurringJobs } from './recurring-jobs.service.js';

const EVERY_MS = 20;
const ASKING_EVERY_MS = 25;
const shared = workOf('shared');

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

  @RecurringJob({ role: 'worker', every: ASKING_EVERY_MS, when: workOf('first') })
  async first(): Promise<void> {
    this.count('first');
  }

  @RecurringJob({ role: 'worker', every: ASKING_EVERY_MS, when: workOf('second'), atOnce: true })
  async second(): Promise<void> {
    this.count('second');
  }

  @RecurringJob({ role: 'worker', every: ASKING_EVERY_MS, when: workOf('led'), leader: 'simulations' })
  async ledWithWork(): Promise<void> {
    this.count('ledWithWork');
  }

  @RecurringJob({ role: 'worker', every: ASKING_EVERY_MS, when: shared })
  async sharing(): Promise<void> {
    this.count('sharing');
  }

  @RecurringJob({ role: 'worker', every: ASKING_EVERY_MS, when: shared })
  async sharingToo(): Promise<void> {
    this.count('sharingToo');
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
let database: AskedDatabase;
let log: LogLines;
const open: { app: INestApplicationContext; leases: LeaseKeeper; jobs: CountedJobs }[] = [];

beforeAll(async () => {
  db = await freshDatabase();
  database = new AskedDatabase(db.orm);
});
afterAll(() => db.drop());
beforeEach(async () => {
  log = new LogLines();
  await createWorkLeft(db.owner);
});
afterEach(async () => {
  for (const { app, leases, jobs } of open.splice(0)) {
    jobs.gate.resolve();
    await app.close();
    await leases.stop();
  }
  await query(db.owner, `drop table if exists work_left`);
});

const keeper = (): LeaseKeeper => new LeaseKeeper(db.database, { leaseTtlMs: 20_000 }, createLogger('silent'));

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
        { provide: Database, useFactory: () => database },
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

describe('jobs that declare when they have work', () => {
  const CANNOT_ASK = 'The question which recurring jobs have work failed.';

  it('run while their statement finds a row, and not the others of the interval', async () => {
    await query(db.owner, `insert into work_left values ('first')`);
    const worker = await start('worker');
    await ran(worker, 'first', 3);
    // Its run at the start asks nothing.
    expect(worker.runs['second']).toBe(1);
    await query(db.owner, `update work_left set job = 'second'`);
    await ran(worker, 'second', 3);
    const { first } = worker.runs;
    await ran(worker, 'second', 6);
    expect(worker.runs['first']).toBe(first);
  });

  it('ask in one statement for all', async () => {
    await query(db.owner, `insert into work_left values ('first'), ('second'), ('led')`);
    database.questions = 0;
    const worker = await start('worker');
    for (const job of ['first', 'second', 'ledWithWork']) await ran(worker, job, 5);
    const { first = 0, second = 0 } = worker.runs;
    // A question may be under way.
    expect(database.questions).toBeLessThanOrEqual(Math.max(first, second) + 1);
  });

  it('share the answer to a statement that several declare', async () => {
    await query(db.owner, `insert into work_left values ('shared')`);
    const worker = await start('worker');
    await ran(worker, 'sharing', 2);
    await ran(worker, 'sharingToo', 2);
    expect(database.lastAsked.filter((job) => job === 'shared')).toHaveLength(1);
  });

  it('run in the leader alone if declared so', async () => {
    await query(db.owner, `insert into work_left values ('first'), ('led')`);
    const leader = await start('worker');
    await ran(leader, 'ledWithWork', 1);
    const other = await start('worker');
    await ran(other, 'first', 5);
    expect(other.runs).not.toHaveProperty('ledWithWork');
  });

  it('run without an answer when the question takes long, and that is logged', async () => {
    const letAnswer = database.holdAnswers();
    const worker = await start('worker');
    try {
      await ran(worker, 'first', 1);
      expect(log.named('The question which recurring jobs have work takes long: all of them run.')).not.toEqual([]);
    } finally {
      letAnswer();
    }
  });

  it('are not started by an answer that comes after the stop began, and the stop waits for it', async () => {
    await query(db.owner, `insert into work_left values ('first')`);
    const worker = await start('worker');
    const letAnswer = database.holdAnswers();
    const { questions } = database;
    await eventually(() => database.questions > questions || undefined);
    const { first } = worker.runs;
    // Else the stop would wait for the slow job too.
    worker.gate.resolve();
    let isClosed = false;
    const closing = open[0]?.app.close().then(() => (isClosed = true));
    await db.query('select 1');
    expect(isClosed).toBe(false);
    letAnswer();
    await closing;
    expect(worker.runs['first']).toBe(first);
  });

  it('run without an answer when the question fails, and the failure is logged', async () => {
    await query(db.owner, `drop table work_left`);
    const worker = await start('worker');
    await ran(worker, 'first', 2);
    await ran(worker, 'second', 2);
    expect(log.named(CANNOT_ASK)).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: expect.stringContaining('work_left') }) }),
    );
  });
});
