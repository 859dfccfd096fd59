import {
  type AccountRole,
  address,
  type Address,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isSignerRole,
  isWritableRole,
  type Instruction,
} from '@solana/kit';
import { parseTransferSolInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  parseCloseAccountInstruction,
  parseCreateAssociatedTokenIdempotentInstruction,
  parseTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import * as fc from 'fast-check';
import { z } from 'zod';
import { anyUnsignedSweep, DEPOSIT_KEYS, HOT_KEY } from '../../../test/support/solana-moves.js';
import { readVectors } from '../../../test/support/vectors.js';
import { movesMessage, unsignedTransaction } from './moves-message.js';
import { builtTokenAccount } from './program-address.js';
import { tokenAccountAtOnce } from './token-account.js';
import type { FundsMove, UnsignedMoves } from './unsigned-moves.js';

/** What the official library finds in the bytes. */
function officiallyDecoded(unsigned: UnsignedMoves) {
  const { messageBytes, signatures } = getTransactionDecoder().decode(
    getBase64Encoder().encode(unsignedTransaction(unsigned)),
  );
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  return { ...decompileTransactionMessage(compiled), signers: Object.keys(signatures) };
}

const accountOf = async (owner: string, mint: string): Promise<Address> => {
  const seeds = { owner: address(owner), mint: address(mint), tokenProgram: TOKEN_PROGRAM_ADDRESS };
  return (await findAssociatedTokenPda(seeds))[0];
};

/** Returns the moves that the official parsers read from instructions, in one text each. */
function officiallyParsed(instructions: readonly Instruction[]): unknown[] {
  return instructions.map((instruction) => {
    const whole = { ...instruction, accounts: instruction.accounts ?? [], data: instruction.data ?? new Uint8Array() };
    const accounts = (used: Record<string, { address: Address; role: AccountRole } | undefined>) =>
      Object.fromEntries(
        Object.entries(used).map(([name, account]) => [
          name,
          account && [account.address, isSignerRole(account.role), isWritableRole(account.role)],
        ]),
      );
    const programs: Record<string, () => { accounts: object; data: object }> = {
      '11111111111111111111111111111111': () => parseTransferSolInstruction(whole as never),
      ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: () =>
        parseCreateAssociatedTokenIdempotentInstruction(whole as never),
      [TOKEN_PROGRAM_ADDRESS]: () =>
        whole.data[0] === 9
          ? parseCloseAccountInstruction(whole as never)
          : parseTransferCheckedInstruction(whole as never),
    };
    const parsed = programs[instruction.programAddress]?.();
    return { ...(parsed && accounts(parsed.accounts as never)), ...parsed?.data };
  });
}

describe('the message of moves', () => {
  const [deposit] = DEPOSIT_KEYS.map((key) => key.address);
  const token = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const to = HOT_KEY.address;
  const moves: readonly FundsMove[] = [
    { kind: 'coin', from: deposit ?? '', to, amount: 18_446_744_073_709_551_615n },
    { kind: 'token', from: deposit ?? '', to, token, decimals: 6, amount: 1n, opensAccount: true },
    { kind: 'close', from: deposit ?? '', token, to },
  ];
  const unsigned: UnsignedMoves = {
    family: 'solana',
    payer: to,
    moves,
    blockhash: token,
    computeUnitLimit: 100_000,
    computeUnitPrice: 20_000n,
  };

  it('says to the official libraries what was asked for', async () => {
    const message = officiallyDecoded(unsigned);
    expect(message).toMatchObject({
      version: 0,
      feePayer: { address: to },
      lifetimeConstraint: { blockhash: token },
      signers: [to, deposit],
    });
    const [limit, price, ...others] = message.instructions;
    expect([limit, price].map((one) => [one?.programAddress, Buffer.from(one?.data ?? []).toString('hex')])).toEqual([
      ['ComputeBudget111111111111111111111111111111', '02a0860100'],
      ['ComputeBudget111111111111111111111111111111', '03204e000000000000'],
    ]);
    const [source, destination] = [await accountOf(deposit ?? '', token), await accountOf(to, token)];
    const [signs, writes] = [true, true];
    expect(officiallyParsed(others)).toEqual([
      {
        source: [deposit, signs, writes],
        destination: [to, signs, writes],
        discriminator: 2,
        amount: 18_446_744_073_709_551_615n,
      },
      {
        payer: [to, signs, writes],
        ata: [destination, !signs, writes],
        owner: [to, signs, writes],
        mint: [token, !signs, !writes],
        systemProgram: ['11111111111111111111111111111111', !signs, !writes],
        tokenProgram: [TOKEN_PROGRAM_ADDRESS, !signs, !writes],
        discriminator: 1,
      },
      {
        source: [source, !signs, writes],
        mint: [token, !signs, !writes],
        destination: [destination, !signs, writes],
        authority: [deposit, signs, writes],
        discriminator: 12,
        amount: 1n,
        decimals: 6,
      },
      {
        account: [source, !signs, writes],
        destination: [to, signs, writes],
        owner: [deposit, signs, writes],
        discriminator: 9,
      },
    ]);
  });

  it('is decoded by the official library for any moves, with the signers in their order', () => {
    fc.assert(
      fc.property(anyUnsignedSweep, (any) => {
        const { signers, feePayer } = officiallyDecoded(any);
        expect(signers).toEqual(movesMessage(any).signers);
        expect(feePayer.address).toBe(any.payer);
      }),
      { numRuns: 50 },
    );
  });

  it('is refused when it does not fit into a packet', () => {
    const many = (count: number): UnsignedMoves => ({ ...unsigned, moves: Array(count).fill(moves[0]) });
    expect(movesMessage(many(40)).bytes.length).toBeLessThan(1_232 - 2 * 64);
    expect(() => movesMessage(many(60))).toThrow(RangeError);
  });

  it('has the token accounts that everybody derives, by both ways', () => {
    const shape = z.object({
      accounts: z.array(z.object({ owner: z.string(), mint: z.string(), ata: z.string() })).min(10),
    });
    for (const { owner, mint, ata } of readVectors('solana-token-accounts', shape).accounts) {
      expect([builtTokenAccount(owner, mint), tokenAccountAtOnce(owner, mint)]).toEqual([ata, ata]);
    }
  });
});
