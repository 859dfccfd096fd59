import { ChainUnavailable } from './chain.js';
import type { NodeAbility } from './node-facts.js';

/** A payment to an address of yesterday must still be found and explained. */
export const HISTORY_MS = 2 * 24 * 3_600_000;

const DAY_MS = 24 * 3_600_000;

/** Returns a time span in days, with one digit after the point. */
export const inDays = (ms: number): string => `${(ms / DAY_MS).toFixed(1)} days`;

/**
 * Tries something that is needed of a node.
 * @param ask returns what was found; throws `ChainUnavailable` with a sentence when the node lacks it
 */
export async function abilityOf(
  need: Pick<NodeAbility, 'name' | 'isRequired'> & { readonly advice: string },
  ask: () => Promise<string>,
): Promise<NodeAbility> {
  try {
    return { ...need, found: await ask(), advice: null };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return { ...need, found: error.message };
  }
}

/** Returns the software of a node; null when it does not say. */
export async function versionOf(ask: () => Promise<string>): Promise<string | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}
