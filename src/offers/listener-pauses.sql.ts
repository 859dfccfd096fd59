import type { Environment, Network } from '../domain/network.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { ChainCursor } from './chain-cursor.entity.js';
import { Chain } from './chain.entity.js';

const chain = table(Chain);
const cursor = table(ChainCursor);

/** Locks the cursor of the active chain of a network: a step of its listener that is under way moves it before, or not at all. */
export const lockCursor = (environment: Environment, network: Network) => sql`
  select ${out(cursor, 'chainRef', 'pausedAt', 'pausedBy')}
    from ${cursor} join ${chain} on ${chain.id} = ${cursor.chainRef} and ${chain.active}
   where ${chain.environment} = ${environment} and ${chain.network} = ${network} for no key update of ${cursor}`;

/** Pauses the listener of a chain. */
export const pauseCursor = (chainRef: string, pausedBy: string, pausedReason: string) => sql`
  update ${cursor} set ${set(cursor, { pausedAt: sql`now()`, pausedBy, pausedReason })}
   where ${cursor.chainRef} = ${chainRef}`;

/** Resumes the listener of a chain. */
export const resumeCursor = (chainRef: string) => sql`
  update ${cursor} set ${set(cursor, { pausedAt: null, pausedBy: null, pausedReason: null })}
   where ${cursor.chainRef} = ${chainRef}`;
