import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import { NetworkStates } from '../../offers/network-states.service.js';
import type { ListenerService } from './listener.service.js';
import { NodeStates } from './node-states.service.js';

const UP: NodeReport = {
  label: 'https://first.example',
  breaker: 'closed',
  consecutiveFailures: 0,
  lastError: null,
  latencyMs: 42,
  identity: 'ours',
  recent: { steps: 100, failures: 0 },
};
const DOWN: NodeReport = {
  ...UP,
  label: 'https://second.example',
  breaker: 'open',
  lastError: 'https://second.example does not answer.',
  latencyMs: null,
  recent: { steps: 4, failures: 1 },
};

let db: TestDatabase;
beforeEach(async () => {
  db = await freshDatabase();
});
afterEach(() => db.drop());

/** Records the nodes of chains as the process that reads them does. */
function recordAll(
  chains: readonly (readonly [Pick<SeededChain, 'chainRef'>, readonly NodeReport[]])[],
): Promise<void> {
  const reports = chains.map(([{ chainRef }, nodes]) => ({ chainRef, nodes }));
  const listeners: Pick<ListenerService, 'nodeReports'> = { nodeReports: () => reports };
  return new NodeStates(db.database, listeners as ListenerService).record();
}

const record = (chainRef: string, nodes: readonly NodeReport[]): Promise<void> => recordAll([[{ chainRef }, nodes]]);

it('shows staff the nodes of each chain in the order of their URLs, as they were reported last', async () => {
  const { chainRef } = await aChain(db.database);
  await aChain(db.database, { environment: 'live' });
  const shown = async () => {
    const [state, ...others] = await new NetworkStates(db.database).list('sandbox');
    expect(others).toEqual([]);
    return state?.nodes.map(({ reportedAt: _at, ...node }) => node);
  };
  const up = {
    chainRef,
    node: UP.label,
    isUp: true,
    isForeign: false,
    latencyMs: 42,
    recentSteps: 100,
    recentFailures: 0,
    lastError: null,
  };
  const down = {
    chainRef,
    node: DOWN.label,
    isUp: false,
    isForeign: false,
    latencyMs: null,
    recentSteps: 4,
    recentFailures: 1,
    lastError: DOWN.lastError,
  };
  expect(await shown()).toEqual([]);
  await record(chainRef, [UP, DOWN]);
  expect(await shown()).toEqual([up, down]);
  await record(chainRef, [
    { ...DOWN, breaker: 'closed' },
    { ...UP, identity: 'foreign' },
  ]);
  expect(await shown()).toEqual([
    { ...down, isUp: true },
    { ...up, isUp: false, isForeign: true },
  ]);
  await record(chainRef, [UP]);
  expect(await shown()).toEqual([up]);
});

it('replaces the nodes of each chain that is read, and leaves those of other chains', async () => {
  const first = await aChain(db.database, { network: 'polygon' });
  const second = await aChain(db.database, { network: 'bnb' });
  const other = await aChain(db.database, { network: 'ethereum' });
  const shown = async () => {
    const states = await new NetworkStates(db.database).list('sandbox');
    return states.flatMap(({ nodes }) => nodes.map(({ chainRef, node }) => `${chainRef} ${node}`)).toSorted();
  };
  await recordAll([
    [first, [UP, DOWN]],
    [second, [UP]],
    [other, [UP]],
  ]);
  const of = (chain: SeededChain, ...reports: readonly NodeReport[]) =>
    reports.map(({ label }) => `${chain.chainRef} ${label}`);
  const expected = [...of(first, UP, DOWN), ...of(second, UP), ...of(other, UP)];
  expect(await shown()).toEqual(expected.toSorted());
  await recordAll([
    [first, [UP]],
    [second, [DOWN]],
  ]);
  expect(await shown()).toEqual([...of(first, UP), ...of(second, DOWN), ...of(other, UP)].toSorted());
});
