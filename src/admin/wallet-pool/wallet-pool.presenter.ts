import { addressFamilyOf, NETWORKS } from '../../domain/network.js';
import type { PoolUsage } from '../../payments/addresses/pool-usage.service.js';
import type { WalletPoolObject } from './wallet-pool.schema.js';

/** The addresses of a family, and how long the free ones last. */
export const presentPool = (pool: PoolUsage): WalletPoolObject['pools'][number] => ({
  id: pool.family,
  networks: NETWORKS.filter((network) => addressFamilyOf(network) === pool.family),
  free: pool.free,
  assigned: pool.assigned,
  paid: pool.paid,
  retired: pool.retired,
  assigned_in_7_days: pool.assignedIn7Days,
  target: pool.target,
  low_mark: pool.lowMark,
  days_left: pool.daysLeft,
});
