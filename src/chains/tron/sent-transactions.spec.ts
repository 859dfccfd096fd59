import { TronPayerLab } from '../../../test/support/tron-payer-lab.js';
import {
  changingBlocks,
  endingAt,
  forgedBlock,
  knowingNothing,
  type TronLie,
  TronLiar,
  withoutBlock,
} from '../../../test/support/tron-liar.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import { keyOfHash } from './tron-address.js';

const RECIPIENT = keyOfHash('a1'.repeat(20));
const SOLIDITY_DISTANCE = 3;

let lab: TronPayerLab;
let liar: TronLiar;
/** What the hot wallet has sent, and the height before it did. */
let sent: readonly string[];
let before: number;
beforeAll(async () => {
  lab = await TronPayerLab.open();
  liar = await TronLiar.start(lab.rig.url);
  before = (await lab.rig.controls.info()).solid;
  const payments = [NATIVE_COIN, lab.tokens.USDT, NATIVE_COIN].map((token) => lab.payment(RECIPIENT, token, 1_000n));
  const signed = await lab.signAll(payments);
  for (const one of signed) await lab.land(one);
  sent = signed.map(({ txHash }) => txHash);
  await lab.settle();
});
afterAll(async () => {
  await liar.stop();
  await lab.close();
});

const hashes = async (above: number) =>
  (await lab.client.sentBy(lab.hotWallet, above)).sent.map(({ txHash }) => txHash);
const solid = async () => (await lab.rig.controls.info()).solid;

async function askLiar(lie: TronLiar['lie']) {
  liar.lie = lie;
  const client = lab.clientAt(liar.url);
  try {
    return await client.sentBy(lab.hotWallet, before);
  } finally {
    await client.close();
  }
}

describe('the transactions that an address has sent on tron', () => {
  it('are those in final blocks above a height, of coins and of calls, in their order', async () => {
    expect(await hashes(before)).toEqual(sent);
    expect(await lab.client.sentBy(lab.hotWallet, before)).toMatchObject({ completeUpTo: await solid() });
    expect(await hashes(await solid())).toEqual([]);
  });

  it('are not those that are only seen', async () => {
    const seen = await lab.sign(lab.payment(RECIPIENT, NATIVE_COIN, 1_000n));
    await lab.land(seen);
    expect(await hashes(before)).not.toContain(seen.txHash);
    await lab.rig.controls.mine(SOLIDITY_DISTANCE);
    expect(await hashes(before)).toContain(seen.txHash);
  });

  it('are none, without a block read, of an address that was never activated', async () => {
    expect(await lab.client.sentBy(keyOfHash('c7'.repeat(20)), 0)).toEqual({
      sent: [],
      towards: [],
      completeUpTo: await solid(),
      hasMore: false,
    });
  });

  it('are not those that it received', async () => {
    const { sent: none, towards } = await lab.client.sentBy(RECIPIENT, before);
    expect(none).toEqual([]);
    expect(towards.map(({ txHash }) => txHash)).toEqual(expect.arrayContaining([...sent]));
    expect(new Set(towards.map(({ sender }) => sender))).toEqual(new Set([lab.hotWallet]));
  });

  it('are read on by the next call when there are many blocks', async () => {
    await lab.rig.controls.mine(250);
    const first = await lab.client.sentBy(lab.hotWallet, before);
    expect(first).toMatchObject({ completeUpTo: before + 200, hasMore: true });
    expect(await lab.client.sentBy(lab.hotWallet, first.completeUpTo)).toEqual({
      sent: [],
      towards: [],
      completeUpTo: await solid(),
      hasMore: false,
    });
  });

  it('are complete no further than the node has blocks', async () => {
    const listEndingAt =
      (height: number): TronLie =>
      (path, answer, params) =>
        path.endsWith('limitnext') ? endingAt(height)(path, answer, params) : answer;
    expect(await askLiar(listEndingAt(before + 1))).toMatchObject({ completeUpTo: before + 1, hasMore: false });
    expect(await askLiar(listEndingAt(before))).toEqual({
      sent: [],
      towards: [],
      completeUpTo: before,
      hasMore: false,
    });
  });

  it.each([
    ['leaves out a block', () => withoutBlock(before + 2)],
    ['leaves out the first block', () => withoutBlock(before + 1)],
    ['has nothing', () => knowingNothing],
    [
      'shows blocks that do not follow each other',
      () => changingBlocks((block) => forgedBlock(block, () => ({ parentHash: 'ab'.repeat(32) }))),
    ],
  ])('are unknown to a node that %s', async (_what, lie) => {
    await expect(askLiar(lie())).rejects.toThrow(ChainUnavailable);
  });
});
