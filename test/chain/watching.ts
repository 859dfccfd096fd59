import type { EvmNetwork } from '../../src/domain/network.js';
import type { BnbTestnet } from '../support/bnb-testnet.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';

/** How far a network has been read, as the listener has recorded it. */
export interface Progress {
  readonly height: number;
  readonly hash: string;
  readonly finalizedHeight: number;
  readonly haltedReason: string | null;
  /** Since the listener was last in sync with the head, by the database's clock. */
  readonly lagMs: number;
  readonly epoch: number;
}

export async function progressOf(world: Pick<World, 'database'>, network: EvmNetwork): Promise<Progress | null> {
  const [row] = await query<Record<string, string>>(
    world.database,
    `select cursor.*, extract(epoch from clock_timestamp() - synced_at) * 1000 as lag_ms
       from chain_cursor cursor join chain on chain.id = cursor.chain_ref
      where chain.network = $1 and chain.active`,
    [network],
  );
  if (row === undefined) return null;
  return {
    height: Number(row['height']),
    hash: row['hash'] ?? '',
    finalizedHeight: Number(row['finalized_height']),
    haltedReason: row['halted_reason'] ?? null,
    lagMs: Number(row['lag_ms']),
    epoch: Number(row['epoch']),
  };
}

/** Waits until the network is on offer and its listener has read something. */
export async function untilWatched(world: World, network: EvmNetwork): Promise<void> {
  await eventually(
    async () => (await progressOf(world, network))?.epoch ?? 0,
    (seen) => seen > 0,
  );
  await eventually(
    async () => {
      const { body } = await world.api.get<{ data: { network: string; status: string }[] }>('/v1/networks');
      return body.data;
    },
    (seen) => seen.some((shown) => shown.network === network && shown.status === 'ok'),
  );
}

/** Waits until the very head of the test network has been recorded. */
export async function untilRead(
  world: Pick<World, 'database'>,
  { node }: BnbTestnet,
  timeoutMs = 20_000,
): Promise<void> {
  await eventually(
    async () => ({ head: await node.head(), read: await progressOf(world, 'bnb') }),
    ({ head, read }) => read?.hash === head.hash,
    timeoutMs,
  );
}
