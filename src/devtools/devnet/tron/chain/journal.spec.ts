import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TronNodeRig } from '../../../../../test/support/tron-node-rig.js';

const STRANGER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';

let rig: TronNodeRig;

beforeEach(async () => {
  rig = await TronNodeRig.start();
});
afterEach(() => rig.remove());

const journalOf = ({ dir }: TronNodeRig): string => join(dir, 'tron.journal');

/** Opens the journal again, as after a kill: nothing is done at the end of the first process. */
async function again(): Promise<TronNodeRig> {
  const { dir } = rig;
  await rig.stop();
  rig = await TronNodeRig.start(dir);
  return rig;
}

/** Everything that a client sees of the chain. */
async function historyOf({ node, ask }: TronNodeRig): Promise<unknown> {
  const numbers = Array.from({ length: node.chain.head + 1 }, (_, number) => number);
  const of = async (path: string, body: unknown): Promise<unknown> => ask.call(rig, path, body);
  return {
    blocks: await Promise.all(numbers.map((num) => of('/wallet/getblockbynum', { num }))),
    infos: await Promise.all(numbers.map((num) => of('/wallet/gettransactioninfobyblocknum', { num }))),
    solid: await of('/walletsolidity/getnowblock', {}),
    account: await of('/wallet/getaccount', { address: STRANGER, visible: true }),
    prices: await of('/wallet/getenergyprices', {}),
    pending: node.chain.pendingTransactions.map(({ transaction }) => transaction.id),
  };
}

describe('the journal of the chain', () => {
  it('gives the same blocks, infos, times and balances again, after transfers, forks and changed prices', async () => {
    await rig.controls.fund(STRANGER, null, 5_000_000n);
    await rig.controls.fund(STRANGER, 'USDT', 5_000_000n);
    await rig.controls.mine(3);
    await rig.controls.setEnergyPrice(420);
    await rig.controls.miss(7);
    await rig.controls.fund(STRANGER, 'USDC', 1n);
    await rig.controls.mine(2);
    await rig.controls.fork(2, 'return');
    await rig.controls.mine(25);
    const history = await historyOf(rig);
    expect(await historyOf(await again())).toEqual(history);
    expect(await historyOf(await again())).toEqual(history);
  });

  it('keeps a transaction that was accepted and in no block yet', async () => {
    const id = await rig.controls.fund(STRANGER, null, 5_000_000n);
    const { node, controls } = await again();
    expect(node.chain.pendingTransactions.map(({ transaction }) => transaction.id)).toEqual([id]);
    await controls.mine();
    expect(node.chain.blocks.placeOf(id)).not.toBeNull();
  });

  it('has an accepted transaction before its sender hears of it', async () => {
    await rig.controls.fund(STRANGER, null, 5_000_000n);
    const lines = (await readFile(journalOf(rig), 'utf8')).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toHaveProperty('transaction');
  });

  it('loses a last line that was cut off, and continues from the line before', async () => {
    await rig.controls.mine(2);
    const before = await readFile(journalOf(rig), 'utf8');
    await appendFile(journalOf(rig), '{"block":{"time":17956');
    const { controls } = await again();
    expect(await readFile(journalOf(rig), 'utf8')).toBe(before);
    await controls.mine();
    await expect(again()).resolves.toBeDefined();
  });

  it('is refused when a block comes out differently', async () => {
    await rig.controls.fund(STRANGER, null, 5_000_000n);
    await rig.controls.mine(2);
    const text = await readFile(journalOf(rig), 'utf8');
    const { dir } = rig;
    await writeFile(journalOf(rig), text.replace(/\{"transaction".*\n/, ''));
    await expect(TronNodeRig.start(dir)).rejects.toThrow(/^Block 2 is \w{64}, and was \w{64}\.$/);
    await writeFile(journalOf(rig), text);
  });

  it('is refused when another line than the last is no entry', async () => {
    await rig.controls.mine(2);
    const text = await readFile(journalOf(rig), 'utf8');
    await writeFile(journalOf(rig), text.replace('{"block"', '{"bl'));
    await expect(TronNodeRig.start(rig.dir)).rejects.toThrow();
    await writeFile(journalOf(rig), text);
  });
});
