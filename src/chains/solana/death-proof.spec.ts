import { generateKeyPairSigner } from '@solana/kit';
import { type Lie, ProxyNode } from '../../../test/support/proxy-node.js';
import { LAB_FINALITY } from '../../../test/support/solana-lab.js';
import { type SignedPayment, SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { LiveAttempt } from '../expiring.js';
import { SolanaClient } from './solana-client.js';

let lab: SolanaPayerLab;
let proxy: ProxyNode;
let liar: SolanaClient;
beforeAll(async () => {
  lab = await SolanaPayerLab.open();
  proxy = await ProxyNode.start(lab.lab.chain.url);
  liar = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: proxy.url });
});
afterAll(async () => {
  await liar.close();
  await proxy.stop();
  await lab.close();
});
afterEach(() => {
  proxy.lie = null;
});

const LIFETIME = 151;

const attemptOf = ({ txHash, planned }: SignedPayment): LiveAttempt => ({ txHash, expiry: planned.expiry });
const isDead = (payment: SignedPayment): Promise<boolean> => lab.client.isDead(attemptOf(payment));

async function signed(): Promise<SignedPayment> {
  const { address } = await generateKeyPairSigner();
  return lab.sign(lab.payment(address, NATIVE_COIN, 1_000_000n));
}

async function headHeight(): Promise<number> {
  return Number(await lab.lab.rpc.getBlockHeight({ commitment: 'processed' }).send());
}

/** Makes blocks up to this height. */
async function mineTo(wanted: number): Promise<void> {
  const missing = wanted - (await headHeight());
  if (missing > 0) await lab.lab.controls.mine(missing);
}

/** Makes so many blocks that an attempt is expired, and that is final. */
async function expire({ planned }: SignedPayment): Promise<void> {
  await mineTo(planned.expiry.until + 1 + LAB_FINALITY.finalized);
}

const landed = async ({ txHash }: SignedPayment): Promise<boolean> =>
  (await lab.client.finalTransactionsOf([txHash], []))[0] !== null;

describe('a transaction', () => {
  it('may be in the last block of its lifetime, and in none after it', async () => {
    const [last, late] = [await signed(), await signed()];
    expect(late.planned.expiry).toEqual(last.planned.expiry);
    await mineTo(last.planned.expiry.until - 1);
    await lab.land(last);
    await lab.land(late);
    await lab.lab.settle();
    expect([await landed(last), await landed(late)]).toEqual([true, false]);
    await expire(last);
    expect([await isDead(last), await isDead(late)]).toEqual([false, true]);
  });

  it('that expired is proven dead once the block past its lifetime is final, and not before', async () => {
    const unsent = await signed();
    await lab.lab.controls.skip(5);
    await mineTo(unsent.planned.expiry.until + LAB_FINALITY.finalized);
    expect(await isDead(unsent)).toBe(false);
    await lab.lab.controls.mine();
    expect(await isDead(unsent)).toBe(true);
    await lab.land(unsent);
    await lab.lab.settle();
    expect(await landed(unsent)).toBe(false);
  });

  it('that is in a block is never called dead, whatever slots are skipped', async () => {
    const payment = await signed();
    await lab.lab.controls.skip(3);
    await lab.land(payment);
    await lab.lab.controls.skip(200);
    expect(await isDead(payment)).toBe(false);
    await expire(payment);
    expect(await isDead(payment)).toBe(false);
    await lab.lab.controls.mine(400);
    expect(await isDead(payment)).toBe(false);
  });

  it('that a fork dropped and that is mined again is never called dead', async () => {
    const payment = await signed();
    await lab.lab.controls.mine(3);
    await lab.land(payment);
    await lab.lab.controls.fork(2);
    expect(await lab.client.areKnown([payment.txHash])).toEqual([false]);
    await lab.lab.controls.mine(5);
    await lab.land(payment);
    await expire(payment);
    expect([await landed(payment), await isDead(payment)]).toEqual([true, false]);
  });

  it.each([0, 3])('that names a block which a fork dropped is proven dead, with %s slots skipped', async (skipped) => {
    const payment = await signed();
    expect(payment.planned.expiry.after.height).toBe((await lab.client.head()).height);
    await lab.lab.controls.fork(2);
    if (skipped > 0) await lab.lab.controls.skip(skipped);
    await lab.land(payment);
    await lab.lab.settle();
    const { height, hash } = payment.planned.expiry.after;
    expect((await lab.client.headerAt(height))?.hash).not.toBe(hash);
    await mineTo(payment.planned.expiry.until);
    expect(await isDead(payment)).toBe(false);
    await expire(payment);
    expect([await landed(payment), await isDead(payment)]).toEqual([false, true]);
  });

  it('is not called dead because a node once understated how long it is valid', async () => {
    const payment = await signed();
    const { after } = payment.planned.expiry;
    const understated = { txHash: payment.txHash, expiry: { after, until: payment.planned.expiry.until - 100 } };
    await mineTo(understated.expiry.until + 20);
    expect(await lab.client.isDead(understated)).toBe(false);
    await lab.land(payment);
    await lab.lab.settle();
    expect(await landed(payment)).toBe(true);
    await expire(payment);
    expect(await lab.client.isDead(understated)).toBe(false);
  });

  it('is not called dead when another block was noted than the one that it names', async () => {
    const payment = await signed();
    const { after, until } = payment.planned.expiry;
    await lab.lab.controls.mine(2 * LIFETIME + LAB_FINALITY.finalized);
    const noted = (by: number): LiveAttempt => ({
      txHash: payment.txHash,
      expiry: { after: { ...after, height: after.height + by }, until },
    });
    expect(await lab.client.isDead(noted(0))).toBe(true);
    for (const by of [-1, 1]) expect([by, await lab.client.isDead(noted(by))]).toEqual([by, false]);
  });
});

/** Answers one method with what `alter` makes of the true answer. */
const altering =
  <Answer>(method: string, alter: (answer: Answer, params: readonly unknown[]) => unknown): Lie =>
  async (question, ask) => {
    const { result } = await ask(question);
    return question.method === method ? alter(result as Answer, question.params) : result;
  };

interface BlockAnswer {
  readonly blockHeight: number;
  readonly signatures: readonly string[];
}

interface LatestAnswer {
  readonly value: { readonly blockhash: string; readonly lastValidBlockHeight: number };
}

describe('a node', () => {
  let dead: SignedPayment;
  let paid: SignedPayment;
  let paidAt: number;
  beforeAll(async () => {
    [dead, paid] = [await signed(), await signed()];
    await lab.lab.controls.mine(10);
    await lab.land(paid);
    await expire(paid);
    // So that a proof is not short of blocks when a node leaves one out.
    await lab.lab.controls.mine(5);
    const [final] = await lab.client.finalTransactionsOf([paid.txHash], []);
    paidAt = final?.height ?? 0;
  });

  const hidesStatus = altering<object>('getSignatureStatuses', (result) => ({ ...result, value: [null] }));

  it('that is honest proves it', async () => {
    expect(await liar.isDead(attemptOf(dead))).toBe(true);
  });

  it('that knows no status of a transaction in a block does not make it dead', async () => {
    proxy.lie = hidesStatus;
    expect(await liar.isDead(attemptOf(paid))).toBe(false);
  });

  it('that also understated how long a transaction is valid does not make it dead', async () => {
    const { txHash, planned } = paid;
    const { after, until } = planned.expiry;
    proxy.lie = hidesStatus;
    expect(await liar.isDead({ txHash, expiry: { after, until: until - LIFETIME + 5 } })).toBe(false);
  });

  it('that knows no status of a transaction in the last block of its lifetime does not make it dead', async () => {
    const last = await signed();
    await mineTo(last.planned.expiry.until - 1);
    await lab.land(last);
    await expire(last);
    expect(await landed(last)).toBe(true);
    proxy.lie = hidesStatus;
    expect(await liar.isDead(attemptOf(last))).toBe(false);
  });

  const slots = (alter: (all: readonly number[]) => readonly number[]): Lie => altering('getBlocksWithLimit', alter);
  const blocks = (alter: (block: BlockAnswer) => object): Lie => altering('getBlock', alter);
  const blockAtPaid = (alter: (block: BlockAnswer) => object | null): Lie =>
    altering<BlockAnswer>('getBlock', (block, [slot]) => (slot === paidAt ? alter(block) : block));

  it.each<[string, Lie]>([
    ['that lags', slots((all) => all.slice(0, 152))],
    ['that has dropped the first block', slots((all) => all.slice(1))],
    ['that calls a slot skipped', slots((all) => all.filter((slot) => slot !== paidAt))],
    ['without one of the blocks', blockAtPaid(() => null)],
    ['with a block of another fork', blockAtPaid((block) => ({ ...block, blockhash: 'other' }))],
    ['whose block has another parent', blockAtPaid((block) => ({ ...block, previousBlockhash: 'other' }))],
    ['whose block has its parent in another slot', blockAtPaid((block) => ({ ...block, parentSlot: 1 }))],
    ['whose heights jump', blockAtPaid((block) => ({ ...block, blockHeight: block.blockHeight + 200 }))],
    ['without heights', blocks((block) => ({ ...block, blockHeight: null }))],
    ['without ids', blocks((block) => ({ ...block, signatures: undefined }))],
  ])('%s proves nothing', async (_what, lie) => {
    proxy.lie = lie;
    expect(await liar.isDead(attemptOf(dead))).toBe(false);
  });

  it('that understates how long its newest block is valid, or names another one, is not signed with', async () => {
    const lastValid = (change: (value: LatestAnswer['value']) => object): Lie =>
      altering<LatestAnswer>('getLatestBlockhash', (result) => ({
        ...result,
        value: { ...result.value, ...change(result.value) },
      }));
    const before = (await lab.client.headerAt((await lab.client.head()).height - 1))?.hash ?? '';
    for (const lie of [
      lastValid(({ lastValidBlockHeight }) => ({ lastValidBlockHeight: lastValidBlockHeight - 1 })),
      lastValid(() => ({ blockhash: before })),
    ]) {
      proxy.lie = lie;
      await expect(liar.conditions()).rejects.toThrow('contradicts itself');
    }
    proxy.lie = null;
    expect(await liar.conditions()).toEqual(await lab.client.conditions());
  });
});
