import { randomInt } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Every anvil (1.7.1) makes a block 0 when it starts, also one that then loads a saved chain; it saves both, in random
 * order, and the next to load them takes the last for its genesis. The gas limit tells them apart: a start that restores
 * a chain makes its own block 0 with this one, which no new chain gets.
 */
const STRAY_GAS_LIMIT = 30_000_000;
const GAS_LIMIT_SPREAD = 2 ** 24;

/** How a saved block begins, what only a block 0 holds, and where its gas limit is. */
const BLOCK_START = '{"header":{';
const GENESIS_NUMBER = '"number":"0x0"';
const GAS_LIMIT = /"gasLimit":"(0x[0-9a-f]+)"/;

const [COMMA, OPENING_BRACE, CLOSING_BRACE] = Buffer.from(',{}');

/** A block 0 in the text of a saved chain: the offsets of its first byte and of the one after its last. */
interface SavedGenesis {
  readonly start: number;
  readonly end: number;
  readonly isStray: boolean;
}

/** Which gas limit to start anvil with. A genesis has nothing of its own but the second it was made in and this. */
export function gasLimitAtStart(origin: 'new' | 'restored'): number {
  return origin === 'new' ? STRAY_GAS_LIMIT + 1 + randomInt(GAS_LIMIT_SPREAD) : STRAY_GAS_LIMIT;
}

/**
 * Takes every block 0 but its own out of a saved chain; false when it has none of its own, or several. The file is
 * replaced as a whole, so that a kill leaves the old one or the new one.
 */
export function keepOwnGenesis(stateFile: string): boolean {
  const saved = readFileSync(stateFile);
  const found = savedGenesisBlocks(saved);
  if (found.filter(({ isStray }) => !isStray).length !== 1) return false;
  if (found.length === 1) return true;
  const rewritten = `${stateFile}.tmp`;
  // From the last to the first: what was cut out moves only what stands behind it.
  const strays = found.filter(({ isStray }) => isStray).toReversed();
  writeFileSync(rewritten, strays.reduce(withoutBlock, saved));
  renameSync(rewritten, stateFile);
  return true;
}

/** Reads these blocks alone: a chain of a thousand payments, parsed as a whole, would take 180 MB of memory. */
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

/** The offset behind the object that begins here, or -1 when the text ends first. No string in a block holds a brace. */
function endOfObject(saved: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < saved.length; at += 1) {
    if (saved[at] === OPENING_BRACE) depth += 1;
    else if (saved[at] === CLOSING_BRACE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** Cuts one block of several out of their list, with one of the commas beside it. */
function withoutBlock(saved: Buffer, { start, end }: SavedGenesis): Buffer {
  const isLast = saved[end] !== COMMA;
  return Buffer.concat([saved.subarray(0, isLast ? start - 1 : start), saved.subarray(isLast ? end : end + 1)]);
}
