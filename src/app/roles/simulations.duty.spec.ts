import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { LeaseKeeper } from '../../platform/leases.js';
import { createLogger } from '../../platform/logging.js';
import { SimulationsDuty } from './simulations.duty.js';

const silent = createLogger('silent');

let db: TestDatabase;
let keepers: LeaseKeeper[];
beforeEach(async () => {
  db = await freshDatabase();
  keepers = [];
});
afterEach(async () => {
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  await db.drop();
});

function newKeeper(): LeaseKeeper {
  const keeper = new LeaseKeeper(db.database, { leaseTtlMs: 4_000 }, silent);
  keepers.push(keeper);
  return keeper;
}

/** A worker that counts how often it would simulate what is due. */
function newWorker() {
  const worker = {
    rounds: 0,
    duty: new SimulationsDuty({ simulateDue: async () => void (worker.rounds += 1) }, newKeeper(), silent),
  };
  worker.duty.onApplicationBootstrap();
  return worker;
}

it('one new worker simulates while a worker of the version before leads the scheduler [I-116]', async () => {
  const old = newKeeper();
  old.campaign('scheduler', { onElected: () => undefined, onLost: () => undefined });
  await eventually(() => old.holds('scheduler') || undefined);
  const first = newWorker();
  await eventually(() => first.rounds > 0 || undefined);
  const second = newWorker();
  await Promise.all([first.duty.simulate(), second.duty.simulate()]);
  expect([first.rounds, second.rounds]).toEqual([2, 0]);
});
