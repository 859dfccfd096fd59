import { randomBytes } from 'node:crypto';
import { query } from '../support/sql.js';
import type { Example, Setting } from './admin-operations.js';

/** Makes sure that a network has a listener, which staff have paused or not. */
async function listenerIn({ service: { database }, environment }: Setting, isPaused: boolean): Promise<void> {
  const id = `${environment}-ethereum-1-${randomBytes(4).toString('hex')}`;
  await query(
    database,
    `insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, quiet_grace_ms, active)
     select $1, $2, 'ethereum', 'evm', '1', $1, 3, 0, true
      where not exists (select from chain where environment = $2 and network = 'ethereum' and active)`,
    [id, environment],
  );
  await query(
    database,
    `insert into chain_cursor (chain_ref, height, hash, block_time, head_height, finalized_height, synced_at, epoch)
     select id, 100, '0x', now(), 100, 97, now(), 1 from chain
      where environment = $1 and network = 'ethereum' and active on conflict (chain_ref) do nothing`,
    [environment],
  );
  const [at, by] = isPaused ? ['now()', `'kim@example.com'`] : ['null', 'null'];
  await query(
    database,
    `update chain_cursor set paused_at = ${at}, paused_by = ${by}, paused_reason = ${by}
      where chain_ref in (select id from chain where environment = $1 and network = 'ethereum' and active)`,
    [environment],
  );
}

/** The operations that watch the service, by their ids. */
export const WATCH_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  listNetworkStates: () => ({}),
  pauseListener: async (setting) => {
    await listenerIn(setting, false);
    return { path: { network: 'ethereum' }, body: { reason: 'Its nodes are being moved.' } };
  },
  resumeListener: async (setting) => {
    await listenerIn(setting, true);
    return { path: { network: 'ethereum' }, body: { reason: 'The nodes are back.' } };
  },
  getTreasury: () => ({}),
  getBooks: () => ({}),
  getWalletPool: () => ({}),
  getPrices: () => ({}),
  getSanctions: () => ({}),
  getCharts: () => ({ query: '?days=7' }),
};
