import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { eventually } from '../../../test/support/eventually.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import { holdLease } from '../../../test/support/leases.js';
import { sessionOn } from '../../../test/support/lone-node.js';
import { MemoryChain } from '../../../test/support/memory-chain.js';
import { randomHex } from '../../../test/support/random-values.js';
import type { ChainNodes } from '../../chains/nodes/chain-nodes.js';
import { developmentProfile } from '../../chains/networks.js';
import { ListenerPauses } from '../../offers/listener-pauses.service.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { ChainListener } from './chain-listener.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import { WatchedAddresses } from './watched-addresses.js';

const LEASE = { name: 'listener', epoch: 1 };
const START_HEIGHT = 100;

let db: TestDatabase;
let chain: SeededChain;
/** The chain as it is, and one that forked off below what is final. */
let truth: MemoryChain;
let fork: MemoryChain;
/** The next checks that see the fork. */
let ticksAtFork: number;
let ticks: number;
let listener: ChainListener;
let log: LogLines;
let metrics: Metrics;
/** Runs once, after the next step has read the chain and before it is recorded. */
let onRead: (() => Promise<void>) | null;

beforeEach(async () => {
  db = await freshDatabase();
  chain = await aChain(db.database, { height: START_HEIGHT });
  const start = { height: START_HEIGHT, hash: randomHex(32) };
  await db.query(`update chain_cursor set hash = $2, finalized_height = $3 where chain_ref = $1`, [
    chain.chainRef,
    start.hash,
    START_HEIGHT,
  ]);
  await holdLease(db.database, LEASE);
  truth = new MemoryChain(start, 2);
  fork = new MemoryChain({ height: START_HEIGHT, hash: randomHex(32) }, 2);
  for (let n = 0; n < 5; n++) fork.mine();
  [ticksAtFork, ticks, onRead, log, metrics] = [0, 0, null, new LogLines(), new Metrics()];
  listener = listenTo(nodes());
});
afterEach(async () => {
  await listener.stop();
  await db.drop();
});

/** One node, which shows the fork for as many checks as a test says. */
function nodes(): ChainNodes {
  const served: Pick<ChainNodes, 'attempt' | 'watchHeads' | 'count' | 'reports'> = {
    count: 1,
    watchHeads: () => ({ close: () => undefined }),
    attempt: async (step) => {
      ticks++;
      const read = await step(sessionOn(ticksAtFork-- > 0 ? fork : truth));
      await onRead?.();
      onRead = null;
      return read;
    },
    reports: () => [],
  };
  return served as ChainNodes;
}

function listenTo(served: ChainNodes): ChainListener {
  const { database } = db;
  const logger = createLogger('debug', { destination: log });
  return new ChainListener({
    chainRef: chain.chainRef,
    profile: { ...developmentProfile({ network: 'polygon', chainId: '31337', contracts: {} }), tokens: [] },
    nodes: served,
    secondNodeAboveCents: 0,
    watched: new WatchedAddresses(database, 'sandbox', 'evm'),
    recorder: new DepositRecorder(database, logger),
    database,
    lease: LEASE,
    logger,
    onTouched: () => undefined,
    onProgress: (lag) => metrics.chains.lag('polygon', lag),
    onDoubt: () => undefined,
    onPaused: () => metrics.chains.listenerPaused('polygon'),
    onDenied: () => undefined,
  });
}

async function cursor() {
  const [row] = await db.query<{ height: string; halted_reason: string | null }>(
    `select height, halted_reason from chain_cursor where chain_ref = $1`,
    [chain.chainRef],
  );
  return { height: Number(row?.height), haltedReason: row?.halted_reason ?? null };
}

/** Makes the listener check the chain so many more times. */
async function tick(times: number): Promise<void> {
  const until = ticks + times;
  await eventually(
    () => {
      listener.nudge();
      return ticks;
    },
    (seen) => seen >= until,
  );
}

describe('a check of a chain that contradicts what is final', () => {
  it('does not halt the chain when the next check finds it as it was: only an operator ends a halt [F-64]', async () => {
    await tick(1);
    ticksAtFork = 1;
    await tick(1);
    truth.mine();
    await eventually(
      () => {
        listener.nudge();
        return cursor();
      },
      ({ height, haltedReason }) => height === truth.height || haltedReason !== null,
    );
    expect(await cursor()).toEqual({ height: truth.height, haltedReason: null });
    // Once more, later: they must come in a row.
    ticksAtFork = 1;
    await tick(3);
    expect((await cursor()).haltedReason).toBeNull();
  });

  it('halts the chain when the next check says the same [F-64]', async () => {
    await tick(1);
    ticksAtFork = Infinity;
    const halted = await eventually(async () => {
      listener.nudge();
      return (await cursor()).haltedReason;
    });
    expect(halted).toContain(`Block ${START_HEIGHT}, recorded as final, is no longer on the chain.`);
  });
});

describe('a listener that staff pause', () => {
  const order = { actor: 'kim@example.com', reason: 'Its nodes are being moved.' };
  const pauses = new ListenerPauses();
  const pause = () => db.database.transaction((tx) => pauses.pause(tx, 'sandbox', 'polygon', order));
  const resume = () => db.database.transaction((tx) => pauses.resume(tx, 'sandbox', 'polygon', order));
  const nudged = <Found>(find: () => Promise<Found> | Found, fits: (found: Found) => boolean): Promise<Found> =>
    eventually(() => {
      listener.nudge();
      return find();
    }, fits);

  it('records nothing more, not even a step that it has read already, and continues where it stopped', async () => {
    await tick(1);
    truth.mine();
    onRead = pause;
    const isPaused = () => log.named('The listener was paused by kim@example.com.').length;
    await nudged(isPaused, (times) => times > 0);
    truth.mine();
    const before = isPaused();
    await nudged(isPaused, (times) => times > before + 1);
    expect((await cursor()).height).toBe(START_HEIGHT);
    await resume();
    await nudged(cursor, ({ height }) => height === truth.height);
    expect(truth.height).toBe(START_HEIGHT + 2);
    const audited = await db.query(
      `select action, subject, reason, before, after from audit_entry where actor = $1 order by id`,
      [order.actor],
    );
    expect(audited).toEqual([
      expect.objectContaining({ action: 'listener.pause', subject: chain.chainRef, reason: order.reason }),
      expect.objectContaining({ action: 'listener.resume', before: { paused: true }, after: { paused: false } }),
    ]);
  });

  it('is reported as paused by a metric until it reads again, and not as behind meanwhile', async () => {
    const isShown = async (paused: 0 | 1) => {
      const text = await metrics.registry.metrics();
      const hasLag = text.includes('coffer_listener_lag_blocks{chain="polygon"}');
      return text.includes(`coffer_listener_paused{chain="polygon"} ${paused}\n`) && hasLag === (paused === 0);
    };
    await nudged(() => isShown(0), Boolean);
    await pause();
    await nudged(() => isShown(1), Boolean);
    await resume();
    await nudged(() => isShown(0), Boolean);
  });

  it('is paused once, where a second pause names who did it, and is resumed only while it is paused', async () => {
    await expect(resume()).rejects.toThrow('The listener of polygon is not paused.');
    await pause();
    await expect(pause()).rejects.toThrow('The listener of polygon was paused by kim@example.com already.');
  });
});

it('keeps the last reorg with both blocks', async () => {
  await tick(1);
  truth.mine();
  truth.mine();
  const at = (height: number) =>
    eventually(
      () => {
        listener.nudge();
        return cursor();
      },
      (seen) => seen.height === height,
    );
  await at(START_HEIGHT + 2);
  truth.takeBack(1);
  truth.mine();
  truth.mine();
  await at(START_HEIGHT + 3);
  const [kept] = await db.query(
    `select reorg_from, reorg_to, reorg_at is not null as "isDated" from chain_cursor where chain_ref = $1`,
    [chain.chainRef],
  );
  expect(kept).toEqual({ reorg_from: String(START_HEIGHT + 2), reorg_to: String(START_HEIGHT + 1), isDated: true });
});
