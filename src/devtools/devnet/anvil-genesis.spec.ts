import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gasLimitAtStart, keepOwnGenesis } from './anvil-genesis.js';

const ofStart = gasLimitAtStart('restored');

let dir: string;
let file: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coffer-genesis-'));
  file = join(dir, 'state.json');
});
afterEach(async () => rm(dir, { recursive: true, force: true }));

function block(number: number, gasLimit: number, parentHash: string) {
  const header = { parentHash, number: `0x${number.toString(16)}`, gasLimit: `0x${gasLimit.toString(16)}` };
  return { header, transactions: [], ommers: [] };
}

const own = block(0, gasLimitAtStart('new'), '0x00');
const next = block(1, ofStart, '0xaa');

async function save(...blocks: readonly object[]): Promise<void> {
  await writeFile(
    file,
    JSON.stringify({ block: { number: '0x0' }, best_block_number: 1, blocks, accounts: { '0x01': { nonce: 1 } } }),
  );
}

describe('the gas limit of a start', () => {
  it('is unique for each new chain, and never that of a start that restores one', () => {
    const limits = Array.from({ length: 100 }, () => gasLimitAtStart('new'));
    expect(new Set(limits).size).toBeGreaterThan(90);
    expect(Math.min(...limits)).toBeGreaterThan(ofStart);
  });
});

describe('a saved chain', () => {
  const [stray, other] = [block(0, ofStart, '0x00'), block(0, ofStart, '0x01')];

  it.each([
    ['first', [own, stray, next, other], [own, next]],
    ['in the middle', [stray, next, own, other], [next, own]],
    ['last', [stray, other, next, own], [next, own]],
    ['before strays that follow each other to the end', [next, own, stray, other], [next, own]],
  ])('keeps its own block 0, which is %s, and loses those of the starts that restored it', async (_, all, kept) => {
    await save(...all);
    expect(keepOwnGenesis(file)).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      block: { number: '0x0' },
      best_block_number: 1,
      blocks: kept,
      accounts: { '0x01': { nonce: 1 } },
    });
    expect(await readdir(dir)).toEqual(['state.json']);
  });

  it('does not change when it has only one block 0', async () => {
    await save(next, own);
    const before = await readFile(file, 'utf8');
    expect(keepOwnGenesis(file)).toBe(true);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it.each([
    ['none', [next, block(0, ofStart, '0x00')]],
    ['two', [own, next, block(0, gasLimitAtStart('new'), '0x00')]],
  ])('is refused with %s of its own', async (_, blocks) => {
    await save(...blocks);
    expect(keepOwnGenesis(file)).toBe(false);
  });

  it('is refused when it was cut off, or is something else', async () => {
    await writeFile(file, '{"blocks":[{"header":{"number":"0x0","gasLimit":"0x1c9c381"');
    expect(keepOwnGenesis(file)).toBe(false);
    await writeFile(file, '{"chain":[]}');
    expect(keepOwnGenesis(file)).toBe(false);
  });
});
