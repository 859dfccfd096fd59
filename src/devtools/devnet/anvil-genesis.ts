import { randomInt } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * anvil (1.7.1) makes a block 0 at every start, also when it then loads a saved chain. It saves both in random order, and
 * the next start uses the last one as its genesis. The gas limit distinguishes them: a start that restores a chain makes
 * its block 0 with this limit, which no new chain has.
 */
const STRAY_GAS_LIMIT = 30_000_000;
const GAS_LIMIT_SPREAD = 2 ** 24;

/** The beginning of a saved block, the mark of a block 0, and the gas limit. */
const BLOCK_START = '{"header":{';
const GENESIS_NUMBER = '"number":"0x0"';
const GAS_LIMIT = /"gasLimit":"(0x[0-9a-f]+)"/;

const [COMMA, OPENING_BRACE, CLOSING_BRACE] = Buffer.from(',{}');

/** A block 0 in the text of a saved chain: the offsets of its first byte and after its last. */
interface SavedGenesis {
  readonly start: number;
  readonly end: number;
  readonly isStray: boolean;
}

/** Returns the gas limit to start anvil with. Besides the start second, it is all that makes a genesis unique. */
export function gasLimitAtStart(origin: 'new' | 'restored'): number {
  return origin === 'new' ? STRAY_GAS_LIMIT + 1 + randomInt(GAS_LIMIT_SPREAD) : STRAY_GAS_LIMIT;
}

/**
 * Removes every block 0 but its own from a saved chain. Returns false when it has none of its own, or several. The file is
 * replaced as a whole, so that a kill leaves the old one or the new one.
 */
export function keepOwnGenesis(stateFile: string): boolean {
  const saved = readFileSync(stateFile);
  const found = savedGenesisBlocks(saved);
  if (found.filter(({ isStray }) => !isStray).length !== 1) return false;
  if (found.length === 1) return true;
  const rewritten = `${stateFile}.tmp`;
  // From the last to the first, so that a removal does not move the remaining offsets.
  const strays = found.filter(({ isStray }) => isStray).toReversed();
  writeFileSync(rewritten, strays.reduce(withoutBlock, saved));
  renameSync(rewritten, stateFile);
  return true;
}

/** Parses only these blocks: parsing a whole chain of a thousand payments would take 180 MB of memory. */
function savedGenesisBlocks(saved: Buffer): SavedGenesis[] {
  const found: SavedGenesis[] = [];
  for (let at = saved.indexOf(GENESIS_NUMBER); at !== -1; at = saved.indexOf(GENESIS_NUMBER, at + 1)) {
    const start = saved.lastIndexOf(BLOCK_START, at);
    const end = start === -1 ? -1 : endOfObject(saved, start);
    if (end <= at) continue;
    const gasLimit = GAS_LIMIT.exec(saved.toString('latin1', start, end))?.[1];
    found.push({ start, end, isStray: Number(gasLimit) === STRAY_GAS_LIMIT });
  }
  return found;
}

/** Returns the offset after the object that begins here, or -1 when the text ends first. No string in a block has a brace. */
function endOfObject(saved: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < saved.length; at += 1) {
    if (saved[at] === OPENING_BRACE) depth += 1;
    else if (saved[at] === CLOSING_BRACE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** Removes one of several blocks from their list, with one of its commas. */
function withoutBlock(saved: Buffer, { start, end }: SavedGenesis): Buffer {
  const isLast = saved[end] !== COMMA;
  return Buffer.concat([saved.subarray(0, isLast ? start - 1 : start), saved.subarray(isLast ? end : end + 1)]);
}
