import { generateKeyPairSigner, type Address } from '@solana/kit';
import { z } from 'zod';
import { eventually } from '../../../../test/support/eventually.js';
import { LAB_FINALITY, SolanaLab, type SignedBytes } from '../../../../test/support/solana-lab.js';

const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;
const BALANCE = z.object({ context: z.object({ slot: z.number() }), value: z.number() });
const STATUSES = z.object({
  value: z.array(z.object({ confirmationStatus: z.string(), confirmations: z.number().nullable() }).nullable()),
});
const BLOCK = z.object({
  blockHeight: z.number(),
  blockTime: z.number(),
  blockhash: z.string(),
  parentSlot: z.number(),
  previousBlockhash: z.string(),
  signatures: z.array(z.string()),
});

let lab: SolanaLab;

beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());

async function balances(account: Address): Promise<number[]> {
  const answers = await Promise.all(
    COMMITMENTS.map((commitment) => lab.result(BALANCE, 'getBalance', account, { commitment })),
  );
  return answers.map(({ value }) => value);
}

const slotOf = (commitment: (typeof COMMITMENTS)[number]) => lab.result(z.number(), 'getSlot', { commitment });
const heightOf = (commitment: (typeof COMMITMENTS)[number]) => lab.result(z.number(), 'getBlockHeight', { commitment });
const blockAt = (slot: number) =>
  lab.result(BLOCK, 'getBlock', slot, { commitment: 'confirmed', transactionDetails: 'signatures' });
const slotsFrom = (slot: number) =>
  lab.result(z.array(z.number()), 'getBlocks', slot, null, { commitment: 'confirmed' });

async function statusOf({ signature }: SignedBytes): Promise<z.infer<typeof STATUSES>['value'][number]> {
  return (await lab.result(STATUSES, 'getSignatureStatuses', [signature])).value[0] ?? null;
}

async function paymentTo(lamports = 700_000n): Promise<{ to: Address; signed: SignedBytes }> {
  const { address: to } = await generateKeyPairSigner();
  const signed = await lab.signTransfer(to, lamports);
  await lab.land(signed);
  return { to, signed };
}

describe('a payment', () => {
  it('is seen at each commitment when its block is far enough behind the newest', async () => {
    const { to, signed } = await paymentTo();
    expect(await balances(to)).toEqual([700_000, 0, 0]);
    expect(await statusOf(signed)).toEqual({ confirmationStatus: 'processed', confirmations: 0 });
    await lab.controls.mine();
    expect(await balances(to)).toEqual([700_000, 700_000, 0]);
    expect(await statusOf(signed)).toEqual({ confirmationStatus: 'confirmed', confirmations: 1 });
    await lab.controls.mine();
    expect(await balances(to)).toEqual([700_000, 700_000, 0]);
    await lab.controls.mine();
    expect(await balances(to)).toEqual([700_000, 700_000, 700_000]);
    expect(await statusOf(signed)).toEqual({ confirmationStatus: 'finalized', confirmations: null });
  });

  it('is final at once when no distance is asked for, and stays final when it grows again', async () => {
    await lab.controls.setFinalityDistance({ confirmed: 0, finalized: 0 });
    const { to } = await paymentTo();
    expect(await balances(to)).toEqual([700_000, 700_000, 700_000]);
    const final = await slotOf('finalized');
    await lab.controls.setFinalityDistance(LAB_FINALITY);
    await lab.controls.mine();
    expect(await slotOf('finalized')).toBe(final);
    expect(await balances(to)).toEqual([700_000, 700_000, 700_000]);
  });

  it('is read as of the block of the answer, however often its account changed since', async () => {
    const { to } = await paymentTo();
    await lab.settle();
    for (let i = 1; i <= 3; i += 1) await lab.land(await lab.signTransfer(to, BigInt(i)));
    expect(await balances(to)).toEqual([700_006, 700_003, 700_000]);
  });
});

describe('a fork', () => {
  it('drops the newest blocks with their payments, and what they changed', async () => {
    const first = await paymentTo();
    const second = await paymentTo();
    const [slot, height] = [await slotOf('processed'), await heightOf('processed')];
    expect(await lab.controls.fork(1)).toBe(slot - 1);
    expect(await heightOf('processed')).toBe(height - 1);
    expect(await balances(first.to)).toEqual([700_000, 0, 0]);
    expect(await balances(second.to)).toEqual([0, 0, 0]);
    expect(await statusOf(second.signed)).toBeNull();
    expect(await lab.result(z.array(z.unknown()), 'getSignaturesForAddress', second.to)).toEqual([]);
    await lab.settle();
    expect(await balances(first.to)).toEqual([700_000, 700_000, 700_000]);
    expect(await slotsFrom(slot - 1)).toEqual([slot - 1, slot + 1, slot + 2]);
  });

  it('drops confirmed payments too, and leaves their slots without blocks', async () => {
    const { to, signed } = await paymentTo();
    const slot = await slotOf('processed');
    await lab.controls.mine();
    expect(await statusOf(signed)).toMatchObject({ confirmationStatus: 'confirmed' });
    await lab.controls.fork(2);
    expect(await balances(to)).toEqual([0, 0, 0]);
    await lab.controls.mine(5);
    expect(await lab.ask('getBlock', slot)).toMatchObject({ error: { code: -32007 } });
    expect(await lab.ask('getTransaction', signed.signature, { maxSupportedTransactionVersion: 0 })).toEqual({
      result: null,
    });
  });

  it('lets the same bytes land again in another block, if their blockhash is still on the chain', async () => {
    const lifetime = await lab.lifetime();
    const { address: to } = await generateKeyPairSigner();
    const signed = await lab.signTransfer(to, 700_000n, { lifetime });
    await lab.land(signed);
    const slot = await slotOf('processed');
    await lab.controls.fork(1);
    await lab.land(signed);
    expect(await slotOf('processed')).toBe(slot + 1);
    expect(await balances(to)).toEqual([700_000, 0, 0]);
  });

  it('makes the blockhashes of its blocks unknown', async () => {
    await lab.controls.mine();
    const { blockhash } = await lab.lifetime();
    await lab.controls.fork(1);
    expect(await lab.ask('isBlockhashValid', blockhash, { commitment: 'processed' })).toMatchObject({
      result: { value: false },
    });
  });

  it('cannot drop what is final', async () => {
    const behind = (await slotOf('processed')) - (await slotOf('finalized'));
    const message = /is final: a fork cannot drop it/;
    await expect(lab.controls.fork(behind + 1)).rejects.toThrow(message);
    await lab.controls.fork(behind);
    expect(await slotOf('processed')).toBe(await slotOf('finalized'));
  });

  it('brings back an account that was closed in one of its blocks', async () => {
    const { address } = await lab.newWallet(5_000_000n);
    await lab.settle();
    await lab.controls.closeAccount(address);
    expect(await balances(address)).toEqual([0, 5_000_000, 5_000_000]);
    await lab.controls.fork(1);
    expect(await balances(address)).toEqual([5_000_000, 5_000_000, 5_000_000]);
  });
});

describe('blocks', () => {
  it('name their parents over skipped slots and dropped forks, with heights that have no gaps', async () => {
    const start = await slotOf('processed');
    await paymentTo();
    await lab.controls.skip(3);
    await paymentTo();
    await lab.controls.mine(2);
    await lab.controls.fork(1);
    await lab.controls.mine(3);
    const slots = await slotsFrom(start);
    expect(slots.length).toBeGreaterThan(4);
    const blocks = await Promise.all(slots.map(blockAt));
    for (const [i, block] of blocks.entries()) {
      const parent = blocks[i - 1];
      if (parent === undefined) continue;
      expect(block).toMatchObject({
        parentSlot: slots[i - 1],
        previousBlockhash: parent.blockhash,
        blockHeight: parent.blockHeight + 1,
      });
      expect(block.blockTime).toBeGreaterThanOrEqual(parent.blockTime);
    }
    expect(blocks.flatMap(({ signatures }) => signatures)).toHaveLength(2);
    const limited = await lab.result(z.array(z.number()), 'getBlocksWithLimit', start, 3, { commitment: 'confirmed' });
    expect(limited).toEqual(slots.slice(0, 3));
  });

  it('have the time of the chain, which can be put forward', async () => {
    await lab.controls.mine(2);
    const before = await blockAt(await slotOf('confirmed'));
    await lab.controls.advanceClock(3_600);
    await lab.controls.mine(2);
    const after = await blockAt(await slotOf('confirmed'));
    expect(after.blockTime - before.blockTime).toBeGreaterThanOrEqual(3_600);
    expect(await lab.result(z.number(), 'getBlockTime', await slotOf('confirmed'))).toBe(after.blockTime);
  });

  it('come by the clock while the chain is not paused', async () => {
    const slot = await slotOf('processed');
    await lab.controls.resume();
    await eventually(
      () => slotOf('processed'),
      (newest) => newest > slot + 1,
    );
    await lab.controls.pause();
  });
});

describe('a page of signatures', () => {
  it('begins and ends where it was told, newest first', async () => {
    const { address: to } = await generateKeyPairSigner();
    const signatures: string[] = [];
    const lifetime = await lab.lifetime();
    for (let i = 0; i < 6; i += 1) {
      const signed = await lab.signTransfer(to, 700_000n + BigInt(i), { lifetime });
      await lab.send(signed);
      signatures.unshift(signed.signature);
      if (i % 2 === 1) await lab.controls.mine();
    }
    await lab.settle();
    const page = async (config: object): Promise<string[]> =>
      (await lab.result(z.array(z.object({ signature: z.string() })), 'getSignaturesForAddress', to, config)).map(
        ({ signature }) => signature,
      );
    expect(await page({})).toEqual(signatures);
    expect(await page({ limit: 2 })).toEqual(signatures.slice(0, 2));
    expect(await page({ before: signatures[1], limit: 3 })).toEqual(signatures.slice(2, 5));
    expect(await page({ until: signatures[4] })).toEqual(signatures.slice(0, 4));
    expect(await page({ before: signatures[0], until: signatures[3] })).toEqual(signatures.slice(1, 3));
    expect(await page({ before: signatures[5] })).toEqual([]);
  });
});
