import type { EntityManager } from '@mikro-orm/postgresql';
import { rows } from '../platform/database/database.js';
import { chainsLeftBehind, moveIntents } from './replaced-chains.sql.js';

/** Each batch is a short transaction: a settlement waits for it no longer than for another settlement. */
const BATCH = 1_000;

/**
 * Moves open intents from replaced development chains to their successors. The same addresses are watched there, and
 * the test tokens have the same contracts. An intent whose token the successor does not offer stays, and expires.
 */
export async function moveOpenIntents(em: EntityManager): Promise<void> {
  for (const { replaced, successor } of await rows(em, chainsLeftBehind)) {
    let moved: number;
    do {
      moved = (await rows(em, moveIntents(replaced, successor, BATCH))).length;
    } while (moved === BATCH);
  }
}
