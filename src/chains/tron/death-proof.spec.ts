import {
  changingBlocks,
  endingAt,
  forgedBlock,
  forkingAbove,
  hidingTransactions,
  knowingNone,
  knowingNothing,
  type TronLie,
  TronLiar,
  withoutBlock,
} from '../../../test/support/tron-liar.js';
import { type SignedTronPayment, TronPayerLab } from '../../../test/support/tron-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import type { LiveAttempt } from '../expiring.js';
import { keyOfHash } from './tron-address.js';
import type { TronClient } from './tron-client.js';

/** From the head at the signature to the first block at or past the expiration: 90 s of blocks. */
const BLOCKS_OF_LIFE = 30;
const LIFETIME_MS = 90_000;
const SOLIDITY_DISTANCE = 3;

let lab: TronPayerLab;
let liar: TronLiar;
let lying: TronClient;
beforeAll(async () => {
  lab = await TronPayerLab.open();
  liar = await TronLiar.start(lab.rig.url);
  lying = lab.clientAt(liar.url);
});
afterAll(async () => {
  await lying.close();
  await liar.stop();
  await lab.close();
});

const RECIPIENT = keyOfHash('a1'.repeat(20));
const sign = (): Promise<SignedTronPayment> => lab.sign(lab.payment(RECIPIENT, NATIVE_COIN, 1_000_000n));
const attemptOf = ({ txHash, planned }: SignedTronPayment): LiveAttempt => ({ txHash, expiry: planned.expiry });

/** A payment that never reached a node, and is proven to have expired. */
async function dead(): Promise<SignedTronPayment> {
  const signed = await sign();
  await lab.rig.controls.mine(BLOCKS_OF_LIFE + SOLIDITY_DISTANCE);
  return signed;
}

/** What a node with this lie proves; an answer that contradicts itself proves nothing. */
async function proven(lie: TronLie, attempt: LiveAttempt): Promise<boolean | 'contradiction'> {
  liar.lie = lie;
  try {
    return await lying.isDead(attempt);
  } catch (error) {
    if (error instanceof ChainUnavailable) return 'contradiction';
    throw error;
  }
}

describe('the proof that a transaction of tron expired', () => {
  it('is there with the first final block at the expiration, and not before', async () => {
    const attempt = attemptOf(await sign());
    await lab.rig.controls.mine(BLOCKS_OF_LIFE + SOLIDITY_DISTANCE - 1);
    expect(await lab.client.finalProgress()).toBe(attempt.expiry.until + 1 - 3_000);
    expect(await lab.client.isDead(attempt)).toBe(false);
    await lab.rig.controls.mine(1);
    expect(await lab.client.finalProgress()).toBe(attempt.expiry.until + 1);
    expect(await lab.client.isDead(attempt)).toBe(true);
  });

  it('counts times and not blocks, when slots were missed', async () => {
    const attempt = attemptOf(await sign());
    await lab.rig.controls.miss(BLOCKS_OF_LIFE);
    await lab.rig.controls.mine(SOLIDITY_DISTANCE);
    expect(await lab.client.isDead(attempt)).toBe(false);
    await lab.rig.controls.mine(1);
    expect(await lab.client.isDead(attempt)).toBe(true);
  });

  it('is never there for one that was mined, in whatever block', async () => {
    const early = await sign();
    await lab.land(early);
    await lab.rig.controls.mine(BLOCKS_OF_LIFE + SOLIDITY_DISTANCE);
    expect(await lab.client.isDead(attemptOf(early))).toBe(false);
    expect(await proven(knowingNone, attemptOf(early))).toBe(false);
  });

  it('is never there for one in the very block whose time is the expiration', async () => {
    const last = await sign();
    await lab.rig.controls.mine(BLOCKS_OF_LIFE - 1);
    await lab.land(last);
    await lab.rig.controls.mine(SOLIDITY_DISTANCE);
    expect(await lab.client.finalProgress()).toBe(attemptOf(last).expiry.until + 1);
    expect(await proven(knowingNone, attemptOf(last))).toBe(false);
    await lab.rig.controls.mine(5);
    expect(await proven(knowingNone, attemptOf(last))).toBe(false);
  });

  it('is there for one that a fork dropped and nothing brought back', async () => {
    const dropped = await sign();
    await lab.land(dropped);
    await lab.rig.controls.fork(1, 'vanish');
    await lab.rig.controls.mine(BLOCKS_OF_LIFE + SOLIDITY_DISTANCE);
    expect(await lab.client.isDead(attemptOf(dropped))).toBe(true);
  });

  it('is not there for one that a fork dropped and that landed again', async () => {
    const again = await sign();
    await lab.land(again);
    await lab.rig.controls.fork(1, 'return');
    await lab.rig.controls.mine(BLOCKS_OF_LIFE + SOLIDITY_DISTANCE);
    expect(await lab.client.isDead(attemptOf(again))).toBe(false);
    const [final] = await lab.client.finalTransactionsOf([again.txHash], []);
    expect(final).toMatchObject({ succeeded: true });
  });

  describe('is not given by a node', () => {
    let attempt: LiveAttempt;
    let height: number;
    beforeAll(async () => {
      attempt = attemptOf(await dead());
      ({ height } = attempt.expiry.after);
    });

    it('unless it is honest', async () => {
      expect(await proven((_path, answer) => answer, attempt)).toBe(true);
    });

    it.each<[string, () => TronLie, boolean | 'contradiction']>([
      ['that knows nothing', () => knowingNothing, false],
      ['that lags', () => endingAt(height + 20), false],
      ['whose final block is the named one', () => endingAt(height), false],
      ['that has not got the named block', () => withoutBlock(height), false],
      ['that dropped a block', () => withoutBlock(height + 9), 'contradiction'],
      ['that dropped the block after the named one', () => withoutBlock(height + 1), 'contradiction'],
      [
        'that knows the transaction',
        () => (path, answer) => (path.endsWith('gettransactioninfobyid') ? { id: attempt.txHash } : answer),
        false,
      ],
      [
        'whose blocks do not follow each other',
        () =>
          changingBlocks((block) =>
            block.block_header.raw_data['number'] === height + 5
              ? forgedBlock(block, () => ({ parentHash: 'ab'.repeat(32) }))
              : block,
          ),
        'contradiction',
      ],
      [
        'whose blocks go back in time',
        () => forkingAbove(height, ({ number }) => (number > height + 5 ? { timestamp: 1_000 } : {})),
        'contradiction',
      ],
      [
        'that names other numbers than the ids',
        () =>
          changingBlocks((block) => {
            const { raw_data } = block.block_header;
            return { ...block, block_header: { raw_data: { ...raw_data, number: Number(raw_data['number']) + 1 } } };
          }),
        'contradiction',
      ],
    ])('%s', async (_name, lie, expected) => {
      expect(await proven(lie(), attempt)).toBe(expected);
    });

    it('when the named block is noted at another height, or by another id', async () => {
      const at = (after: { readonly height: number; readonly hash: string }) =>
        lab.client.isDead({ ...attempt, expiry: { ...attempt.expiry, after } });
      const { hash } = attempt.expiry.after;
      expect(await at({ height: height + 1, hash })).toBe(false);
      expect(await at({ height: height - 1, hash })).toBe(false);
      expect(await at({ height, hash: `${hash.slice(0, 32)}${'0'.repeat(32)}` })).toBe(false);
      expect(await at({ height, hash })).toBe(true);
    });

    it('when the named block is younger than the expiration', async () => {
      const until = Date.now() - 86_400_000;
      expect(await lab.client.isDead({ ...attempt, expiry: { ...attempt.expiry, until } })).toBe(false);
    });
  });

  it('is not given by a node that shows blocks with later times than their ids prove', async () => {
    const attempt = attemptOf(await sign());
    await lab.rig.controls.mine(SOLIDITY_DISTANCE + 1);
    const later = changingBlocks((block) => {
      const { raw_data } = block.block_header;
      const timestamp = Number(raw_data['timestamp']) + LIFETIME_MS;
      const isAbove = Number(raw_data['number']) > attempt.expiry.after.height;
      return isAbove ? { ...block, block_header: { raw_data: { ...raw_data, timestamp } } } : block;
    });
    expect(await proven(later, attempt)).toBe('contradiction');
  });

  it('is given by a node that makes later blocks up, so a second one is asked', async () => {
    const attempt = attemptOf(await sign());
    await lab.rig.controls.mine(SOLIDITY_DISTANCE + 1);
    const later = forkingAbove(attempt.expiry.after.height, ({ timestamp }) => ({
      timestamp: timestamp + LIFETIME_MS,
    }));
    expect(await proven(later, attempt)).toBe(true);
    expect(await lab.client.isDead(attempt)).toBe(false);
  });

  it('is given by a node that hides the transaction everywhere, so a second one is asked', async () => {
    const mined = await sign();
    await lab.land(mined);
    await lab.rig.controls.mine(BLOCKS_OF_LIFE + SOLIDITY_DISTANCE);
    expect(await proven(hidingTransactions, attemptOf(mined))).toBe(true);
  });
});
