import { builtTokenAccount } from './program-address.js';
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import type { FundsMove, UnsignedMoves } from './unsigned-moves.js';

/** An account of an instruction. */
export interface AccountUse {
  readonly key: string;
  readonly signs: boolean;
  readonly writes: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

// The numbers of the instructions in their programs.
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
const TRANSFER = 2;
const CREATE_IDEMPOTENT = 1;
const TRANSFER_CHECKED = 12;
const CLOSE_ACCOUNT = 9;

const read = (key: string): AccountUse => ({ key, signs: false, writes: false });
const write = (key: string): AccountUse => ({ key, signs: false, writes: true });
const sign = (key: string): AccountUse => ({ key, signs: true, writes: false });
const signAndWrite = (key: string): AccountUse => ({ key, signs: true, writes: true });

/** Returns the instructions of a transaction: its limit, its price, then its moves. */
export function instructionsOf({
  payer,
  moves,
  computeUnitLimit,
  computeUnitPrice,
}: UnsignedMoves): readonly Instruction[] {
  return [
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: data(byte(SET_UNIT_LIMIT), uint32(computeUnitLimit)) },
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: data(byte(SET_UNIT_PRICE), uint64(computeUnitPrice)) },
    ...moves.flatMap((move) => moveInstructions(move, payer)),
  ];
}

function moveInstructions(move: FundsMove, payer: string): readonly Instruction[] {
  if (move.kind === 'coin') {
    const { from, to, amount } = move;
    const accounts = [signAndWrite(from), write(to)];
    return [{ program: SYSTEM_PROGRAM, accounts, data: data(uint32(TRANSFER), uint64(amount)) }];
  }
  if (move.kind === 'close') {
    const { from, token, source = builtTokenAccount(from, token), to } = move;
    const accounts = [write(source), write(to), sign(from)];
    return [{ program: TOKEN_PROGRAM, accounts, data: byte(CLOSE_ACCOUNT) }];
  }
  const { from, to, token, source = builtTokenAccount(from, token), decimals, amount, opensAccount } = move;
  const destination = builtTokenAccount(to, token);
  const transfer = {
    program: TOKEN_PROGRAM,
    accounts: [write(source), read(token), write(destination), sign(from)],
    data: data(byte(TRANSFER_CHECKED), uint64(amount), byte(decimals)),
  };
  const opening = {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      signAndWrite(payer),
      write(destination),
      read(to),
      read(token),
      read(SYSTEM_PROGRAM),
      read(TOKEN_PROGRAM),
    ],
    data: byte(CREATE_IDEMPOTENT),
  };
  return opensAccount ? [opening, transfer] : [transfer];
}

const data = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);
const byte = (value: number): Uint8Array => Buffer.of(value);

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
