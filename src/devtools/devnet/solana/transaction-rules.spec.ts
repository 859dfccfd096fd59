import {
  AccountRole,
  address,
  generateKeyPairSigner,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { z } from 'zod';
import { SolanaLab, type SignedBytes } from '../../../../test/support/solana-lab.js';

const COMPUTE_BUDGET = address('ComputeBudget111111111111111111111111111111');
const FEE = 5_000n;
const STATUS = z.object({ value: z.tuple([z.object({ err: z.unknown() }).nullable()]) });
const BALANCE = z.object({ value: z.number().transform(BigInt) });

let lab: SolanaLab;

beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());

async function freshAddress(): Promise<Address> {
  return (await generateKeyPairSigner()).address;
}

async function balanceOf(account: string): Promise<bigint> {
  return (await lab.result(BALANCE, 'getBalance', account, { commitment: 'processed' })).value;
}

/** Returns the error of a transaction in a block, or undefined when it is in none. */
async function errorInBlock({ signature }: SignedBytes): Promise<unknown> {
  const { value } = await lab.result(STATUS, 'getSignatureStatuses', [signature]);
  return value[0] === null ? undefined : value[0].err;
}

const refusedFor = (err: unknown, reason: string): object => ({
  error: { code: -32002, message: `Transaction simulation failed: ${reason}`, data: { err } },
});

const unitPrice = (microLamports: number): Instruction => {
  const data = new Uint8Array(9);
  data[0] = 3;
  new DataView(data.buffer).setUint32(1, microLamports, true);
  return { programAddress: COMPUTE_BUDGET, data };
};

describe('a signature', () => {
  it('of another message is refused before the transaction is simulated', async () => {
    const { base64 } = await lab.signTransfer(await freshAddress(), 700_000n);
    const bytes = Buffer.from(base64, 'base64');
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    const signed = { base64: bytes.toString('base64'), signature: '' };
    const error = { code: -32003, message: 'Transaction signature verification failure' };
    expect(await lab.send(signed)).toMatchObject({ error });
  });

  it('of another message is acknowledged without preflight, and its transaction never lands', async () => {
    const to = await freshAddress();
    const { base64 } = await lab.signTransfer(to, 700_000n);
    const bytes = Buffer.from(base64, 'base64');
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    const answer = await lab.send({ base64: bytes.toString('base64'), signature: '' }, { skipPreflight: true });
    expect(answer).toMatchObject({ result: expect.any(String) });
    await lab.controls.mine(2);
    expect(await balanceOf(to)).toBe(0n);
    expect((await lab.controls.info()).pending).toBe(0);
  });
});

describe('a blockhash', () => {
  it('is good for 150 blocks after its own, and for the one that follows them', async () => {
    const lifetime = await lab.lifetime();
    const [last, late] = [
      await lab.signTransfer(await freshAddress(), 700_000n, { lifetime }),
      await lab.signTransfer(await freshAddress(), 700_000n, { lifetime }),
    ];
    await lab.controls.mine(150);
    expect(await lab.result(z.number(), 'getBlockHeight', { commitment: 'processed' })).toBe(
      Number(lifetime.lastValidBlockHeight),
    );
    await lab.land(last);
    expect(await errorInBlock(last)).toBeNull();
    expect(await lab.send(late)).toMatchObject(refusedFor('BlockhashNotFound', 'Blockhash not found'));
    await lab.send(late, { skipPreflight: true });
    await lab.controls.mine(2);
    expect(await errorInBlock(late)).toBeUndefined();
  });

  it('of a block that the preflight does not know yet is refused', async () => {
    const signed = await lab.signTransfer(await freshAddress(), 700_000n);
    const refused = refusedFor('BlockhashNotFound', 'Blockhash not found');
    expect(await lab.send(signed, { preflightCommitment: 'finalized' })).toMatchObject(refused);
    expect(await lab.send(signed)).toMatchObject({ result: signed.signature });
  });

  it('expires by blocks and not by slots', async () => {
    const signed = await lab.signTransfer(await freshAddress(), 700_000n);
    await lab.controls.skip(1_000);
    await lab.land(signed);
    expect(await errorInBlock(signed)).toBeNull();
  });
});

describe('the same transaction', () => {
  it('is acknowledged again while it waits, and pays once', async () => {
    const to = await freshAddress();
    const signed = await lab.signTransfer(to, 700_000n);
    for (let i = 0; i < 3; i += 1) expect(await lab.send(signed)).toMatchObject({ result: signed.signature });
    await lab.controls.mine(3);
    expect(await balanceOf(to)).toBe(700_000n);
  });

  it('is refused once it is in a block, with and without preflight', async () => {
    const to = await freshAddress();
    const signed = await lab.signTransfer(to, 700_000n);
    await lab.land(signed);
    const reason = 'This transaction has already been processed';
    expect(await lab.send(signed)).toMatchObject(refusedFor('AlreadyProcessed', reason));
    await lab.send(signed, { skipPreflight: true });
    await lab.controls.mine();
    expect(await balanceOf(to)).toBe(700_000n);
  });
});

describe('a fee payer', () => {
  it.each([
    ['does not exist', 0n, 'AccountNotFound', 'Attempt to debit an account but found no record of a prior credit.'],
    [
      'would keep less than the minimum',
      650_240n + FEE - 1n,
      { InsufficientFundsForRent: { account_index: 0 } },
      'Transaction results in an account (0) with insufficient funds for rent',
    ],
  ])('that %s pays nothing, and its transaction is in no block', async (_, lamports, err, reason) => {
    const payer = await lab.newWallet(lamports);
    const signed = await lab.sign([], { payer });
    expect(await lab.send(signed)).toMatchObject(refusedFor(err, reason));
    await lab.send(signed, { skipPreflight: true });
    await lab.controls.mine();
    expect(await errorInBlock(signed)).toBeUndefined();
    expect(await balanceOf(payer.address)).toBe(lamports);
  });

  it('that is funded in time pays for a transaction that was sent before', async () => {
    const payer = await generateKeyPairSigner();
    const signed = await lab.sign([], { payer });
    await lab.send(signed, { skipPreflight: true });
    await lab.controls.mine();
    await lab.controls.fund({ owner: payer.address, token: null, amount: 1_000_000n });
    await lab.controls.mine(2);
    expect(await errorInBlock(signed)).toBeNull();
    expect(await balanceOf(payer.address)).toBe(1_000_000n - FEE);
  });

  it('may leave nothing at all', async () => {
    const payer = await lab.newWallet(1_000_000n);
    await lab.land(await lab.signTransfer(lab.faucet.address, 1_000_000n - FEE, { payer }));
    expect(await lab.ask('getAccountInfo', payer.address, { commitment: 'processed' })).toMatchObject({
      result: { value: null },
    });
  });
});

describe('a transaction that fails in a block', () => {
  it('pays its fee and its priority fee, and moves nothing', async () => {
    const payer = await lab.newWallet();
    const source = payer;
    const transfer = getTransferSolInstruction({ source, destination: lab.faucet.address, amount: 10n ** 12n });
    const signed = await lab.sign([unitPrice(1_000_000), transfer], { payer });
    await lab.send(signed, { skipPreflight: true });
    await lab.controls.mine();
    expect(await errorInBlock(signed)).toEqual({ InstructionError: [1, { Custom: 1 }] });
    // 6,000 units, 3,000 for each instruction of a built-in program.
    expect(await balanceOf(payer.address)).toBe(1_000_000_000n - FEE - 6_000n);
  });

  it('pays its fee when it would leave a new account below the minimum for rent', async () => {
    const to = await freshAddress();
    const signed = await lab.signTransfer(to, 650_239n);
    const err = { InsufficientFundsForRent: { account_index: 1 } };
    const reason = 'Transaction results in an account (1) with insufficient funds for rent';
    expect(await lab.send(signed)).toMatchObject(refusedFor(err, reason));
    const before = await balanceOf(lab.faucet.address);
    await lab.send(signed, { skipPreflight: true });
    await lab.controls.mine();
    expect(await errorInBlock(signed)).toEqual(err);
    expect(await balanceOf(lab.faucet.address)).toBe(before - FEE);
    await lab.land(await lab.signTransfer(to, 650_240n));
  });
});

describe('the rent', () => {
  it('is the one that was set, for new accounts and in answers', async () => {
    const minimum = (bytes: number) => lab.result(z.number(), 'getMinimumBalanceForRentExemption', bytes);
    expect(await minimum(165)).toBe(1_488_440);
    await lab.controls.setRent(6_960);
    expect(await minimum(165)).toBe(2_039_280);
    const signed = await lab.signTransfer(await freshAddress(), 890_879n);
    expect(await lab.send(signed)).toMatchObject({
      error: { data: { err: { InsufficientFundsForRent: { account_index: 1 } } } },
    });
    await lab.controls.setRent(5_080);
    expect(await lab.send(signed)).toMatchObject({ result: signed.signature });
  });
});

describe('a token account', () => {
  it('that its issuer has frozen neither pays nor is paid, until it is thawed', async () => {
    const usdc = address((await lab.controls.info()).mints['USDC'] ?? '');
    const owner = await lab.newWallet();
    await lab.controls.fund({ owner: owner.address, token: 'USDC', amount: 5_000_000n });
    await lab.controls.mine();
    const accountOf = async (wallet: KeyPairSigner): Promise<Address> =>
      (await findAssociatedTokenPda({ owner: wallet.address, mint: usdc, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];
    const [source, destination] = [await accountOf(owner), await accountOf(lab.faucet)];
    const payment = { source, mint: usdc, destination, authority: owner, amount: 1n, decimals: 6 };
    const pay = async (): Promise<SignedBytes> => lab.sign([getTransferCheckedInstruction(payment)]);

    await lab.controls.freeze(source);
    await lab.controls.mine();
    const err = { InstructionError: [0, { Custom: 0x11 }] };
    const reason = 'Error processing Instruction 0: custom program error: 0x11';
    expect(await lab.send(await pay())).toMatchObject(refusedFor(err, reason));
    await lab.controls.thaw(source);
    await lab.controls.mine();
    await lab.land(await pay());
  });
});

describe('the accounts of a transaction', () => {
  const manyAccounts = async (count: number): Promise<Instruction> => {
    const accounts = await Promise.all(
      Array.from({ length: count }, async () => ({ address: await freshAddress(), role: AccountRole.READONLY })),
    );
    return { programAddress: address('11111111111111111111111111111111'), accounts, data: new Uint8Array(4) };
  };

  it('are at most what fits into 1,232 bytes, or 4,096 in version 1', async () => {
    for (const [version, fits, tooMany] of [
      ['legacy', 32, 33],
      [0, 32, 33],
    ] as const) {
      const small = Buffer.from((await lab.sign([await manyAccounts(fits)], { version })).base64, 'base64');
      const big = Buffer.from((await lab.sign([await manyAccounts(tooMany)], { version })).base64, 'base64');
      expect([small.length <= 1_232, big.length > 1_232]).toEqual([true, true]);
      expect(await lab.send({ base64: big.toString('base64'), signature: '' })).toMatchObject({
        error: { code: -32602, message: expect.stringContaining(`too large: ${big.length} bytes (max: 1232 bytes)`) },
      });
      expect(await lab.send({ base64: small.toString('base64'), signature: '' })).toMatchObject({
        error: { code: -32002 },
      });
    }
    const large = await lab.sign([{ ...(await manyAccounts(60)), data: new Uint8Array(4) }], { version: 1 });
    expect(Buffer.from(large.base64, 'base64').length).toBeGreaterThan(1_232);
    expect(await lab.send(large)).toMatchObject({ error: { code: -32002 } });
  });

  it('are named once', async () => {
    const bytes = Buffer.from((await lab.signTransfer(await freshAddress(), 700_000n)).base64, 'base64');
    const firstKey = 1 + 64 + 1 + 3 + 1;
    bytes.copy(bytes, firstKey + 32, firstKey, firstKey + 32);
    const signed = { base64: bytes.toString('base64'), signature: '' };
    const answer = await lab.ask('simulateTransaction', signed.base64, { encoding: 'base64', commitment: 'processed' });
    expect(answer).toMatchObject({ result: { value: { err: 'AccountLoadedTwice' } } });
  });
});
