import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { type Ending, Lane, type Survival } from './lane.js';

/** The point of the kill, its case, and the expected end of the intent. */
const FAILPOINTS: readonly (readonly [name: string, tag: string, ending: Ending])[] = [
  ['idem.claimed', '[C-34]', 'completed'],
  ['idem.before_commit', '[C-34]', 'completed'],
  ['idem.after_commit', '[C-33]', 'completed'],
  ['idem.before_statement', '[C-34]', 'completed'],
  ['intent.planned', '[C-34]', 'completed'],
  ['addr.priced', '[C-34]', 'completed'],
  ['chain.block_fetched', '[K-143]', 'completed'],
  ['chain.cursor_before', '[K-143]', 'completed'],
  ['chain.observed', '[K-143]', 'completed'],
  ['chain.cursor_after', '[K-143]', 'completed'],
  ['settle.before', '[K-143]', 'completed'],
  ['settle.after', '[K-143]', 'completed'],
  ['credit.before_commit', '[K-143]', 'completed'],
  ['credit.after_commit', '[K-143]', 'completed'],
  ['expire.before', '[K-143]', 'expired'],
  ['expire.after', '[K-143]', 'expired'],
  ['outbox.enqueued_before_mark', '[J-138]', 'completed'],
  ['hook.before_send', '[J-138]', 'completed'],
  ['hook.sent_before_save', '[J-138]', 'completed'],
];
/** Services that run in parallel, because much of a recovery is waiting for leases to expire. */
const LANES = 2;

let build: ServiceBuild;
const lanes: Lane[] = [];
const survivals = new Map<string, Promise<Survival>>();

beforeAll(async () => {
  build = await bundleService();
  for (let i = 0; i < LANES; i++) runLane(FAILPOINTS.filter((_, index) => index % LANES === i));
});
afterAll(async () => {
  await Promise.allSettled(survivals.values());
  await Promise.all(lanes.map((lane) => lane.close()));
});

/** Runs these failpoints one after the other in one lane; the test that waits for one reports its failure. */
function runLane(failpoints: typeof FAILPOINTS): void {
  let turn: Promise<unknown> = Promise.resolve();
  const opened = Lane.open(build).then((lane) => {
    lanes.push(lane);
    return lane;
  });
  for (const [name, , ending] of failpoints) {
    const survival = turn.then(async () => (await opened).survive(name, ending));
    turn = survival.catch(() => undefined);
    survivals.set(name, survival);
  }
  void turn;
}

describe('kill -9 and a restart', () => {
  it.each(FAILPOINTS)(
    'at %s: the intent ends as expected, is credited and delivered once %s',
    async (name, _tag, ending) => {
      const survival = await survivals.get(name);
      const events = ending === 'completed' ? ['processing', 'payment_received', 'completed'] : ['expired'];
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        status: ending,
        credited: survival?.paid,
        paid: ending === 'completed' ? 25_000_000n : 0n,
        events,
        delivered: events,
      });
    },
    180_000,
  );
});
