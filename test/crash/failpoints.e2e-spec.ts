import { buildService, type ServiceBuild } from '../support/service-build.js';
import { type Ending, Lane, type Survival } from './lane.js';

/** Where the service is killed, what case that is, and how the intent on its way there is to end. */
const FAILPOINTS: readonly (readonly [name: string, tag: string, ending: Ending])[] = [
  ['idem.claimed', '[C-34]', 'completed'],
  ['idem.before_commit', '[C-34]', 'completed'],
  ['idem.after_commit', '[C-33]', 'completed'],
  ['intent.inserted', '[C-34]', 'completed'],
  ['addr.priced', '[C-34]', 'completed'],
  ['addr.reserved', '[C-34]', 'completed'],
  ['addr.before_commit', '[C-34]', 'completed'],
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
/** Services that live, die and recover beside each other: much of a recovery is waiting for a dead one's leases. */
const LANES = 2;

let build: ServiceBuild;
const lanes: Lane[] = [];
const survivals = new Map<string, Promise<Survival>>();

beforeAll(async () => {
  build = await buildService();
  for (let i = 0; i < LANES; i++) runLane(FAILPOINTS.filter((_, index) => index % LANES === i));
});
afterAll(async () => {
  await Promise.allSettled(survivals.values());
  await Promise.all(lanes.map((lane) => lane.close()));
});

/** Takes these failpoints one after the other through one lane; what fails is told by the test that waits for it. */
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
    'at %s: the intent ends as it should, is credited and told once %s',
    async (name, _tag, ending) => {
      const survival = await survivals.get(name);
      const events = ending === 'completed' ? ['processing', 'payment_received', 'completed'] : ['expired'];
      expect(survival).toEqual({
        exit: { code: null, signal: 'SIGKILL' },
        status: ending,
        credited: survival?.paid,
        paid: ending === 'completed' ? 25_000_000n : 0n,
        events,
        told: events,
      });
    },
    180_000,
  );
});
