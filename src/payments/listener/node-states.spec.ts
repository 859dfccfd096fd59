import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';
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

/** Records the nodes of a chain as the process that reads it does. */
function record(chainRef: string, nodes: readonly NodeReport[]): Promise<void> {
  const listeners: Pick<ListenerService, 'nodeReports'> = { nodeReports: () => [{ chainRef, nodes }] };
  return new NodeStates(db.database, listeners as ListenerService).record();
}

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
