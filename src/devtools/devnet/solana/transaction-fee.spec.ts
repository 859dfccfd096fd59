import { address, type Instruction } from '@solana/kit';
import { z } from 'zod';
import { SolanaLab } from '../../../../test/support/solana-lab.js';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const AMOUNT = z.object({ value: z.number() });
const FUNDS = 1_000_000_000;

let lab: SolanaLab;

beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());

const instructionOf = (program: string, ...data: number[]): Instruction => ({
  programAddress: address(program),
  data: Uint8Array.from(data),
});

/** A setting of the compute budget: its kind, and a number of so many bytes. */
function setting(kind: number, bytes: 4 | 8, value: number): Instruction {
  const data = new Uint8Array(1 + bytes);
  data[0] = kind;
  new DataView(data.buffer).setUint32(1, value, true);
  return instructionOf(COMPUTE_BUDGET, ...data);
}

const limit = (units: number): Instruction => setting(2, 4, units);
const price = (microLamports: number): Instruction => setting(3, 8, microLamports);
const memo = instructionOf(MEMO, 65);

describe('a fee', () => {
  it.each([
    ['without instructions', []],
    ['with a price and no limit', [price(7_777), memo]],
    ['with a price and several programs', [price(123_456), memo, memo, instructionOf(TOKEN, 99)]],
    ['with a price and a built-in program', [price(55_555), instructionOf('11111111111111111111111111111111')]],
    ['with a price and lookup tables', [price(99_999), instructionOf('AddressLookupTab1e1111111111111111111111111')]],
    ['with a price and a loader', [price(33_333), instructionOf('BPFLoaderUpgradeab1e11111111111111111111111')]],
    ['with a price and a limit', [limit(33_333), price(1_001), memo]],
    ['with a price and a limit above the maximum', [limit(4_000_000_000), price(2_000), memo]],
    ['with a price of nothing', [price(0), memo]],
  ] as const)('%s is that of getFeeForMessage, whether the transaction succeeds or fails', async (_, instructions) => {
    const payer = await lab.newWallet(BigInt(FUNDS));
    const signed = await lab.sign(instructions, { payer });
    const message = Buffer.from(signed.base64, 'base64')
      .subarray(1 + 64)
      .toString('base64');
    const processed = { commitment: 'processed' };
    const { value: fee } = await lab.result(AMOUNT, 'getFeeForMessage', message, processed);
    await lab.send(signed, { skipPreflight: true });
    await lab.controls.mine();
    const { value: left } = await lab.result(AMOUNT, 'getBalance', payer.address, processed);
    expect(FUNDS - left).toBe(fee);
  });

  it('is sampled by getRecentPrioritizationFees as the lowest price in each block', async () => {
    const payer = await lab.newWallet();
    for (const one of [30, 20]) await lab.send(await lab.sign([price(one), memo], { payer }));
    const slot = await lab.controls.mine();
    const FEES = z.array(z.object({ slot: z.number(), prioritizationFee: z.number() }));
    const fees = await lab.result(FEES, 'getRecentPrioritizationFees', [payer.address]);
    expect(fees.at(-1)).toEqual({ slot, prioritizationFee: 20 });
    expect(fees.filter(({ prioritizationFee }) => prioritizationFee > 0)).toHaveLength(1);
  });
});
