import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import { tokenAccountAtOnce } from './token-account.js';
import type { FundsMove, UnsignedMoves } from './unsigned-moves.js';

/** An instruction as signed bytes must have it. */
export interface ExpectedInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  /** In hex. */
  readonly data: string;
  /** What a difference is called. */
  readonly field: string;
}

/** A transaction as signed bytes must have it, apart from its blockhash and its signatures. */
export interface ExpectedContent {
  readonly instructions: readonly ExpectedInstruction[];
  readonly signers: ReadonlySet<string>;
  readonly writable: ReadonlySet<string>;
}

const UINT_32 = 4;
const UINT_64 = 8;

/** Returns what the bytes of these moves must say, by other code than what builds them. */
export function expectedContent({ payer, moves, computeUnitLimit, computeUnitPrice }: UnsignedMoves): ExpectedContent {
  const signers = new Set([payer]);
  const writable = new Set([payer]);
  const budget = (field: string, data: string): ExpectedInstruction => {
    return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data, field };
  };
  const instructions = [
    budget('computeUnitLimit', `02${littleEndian(computeUnitLimit, UINT_32)}`),
    budget('computeUnitPrice', `03${littleEndian(computeUnitPrice, UINT_64)}`),
  ];
  for (const move of moves) {
    signers.add(move.from);
    const { written, steps } = stepsOf(move, payer);
    for (const account of written) writable.add(account);
    instructions.push(...steps.map((step) => ({ ...step, field: 'moves' })));
  }
  return { instructions, signers, writable };
}

interface Steps {
  readonly written: readonly string[];
  readonly steps: readonly Omit<ExpectedInstruction, 'field'>[];
}

function stepsOf(move: FundsMove, payer: string): Steps {
  if (move.kind === 'coin') {
    const accounts = [move.from, move.to];
    const data = `02000000${littleEndian(move.amount, UINT_64)}`;
    return { written: accounts, steps: [{ program: SYSTEM_PROGRAM, accounts, data }] };
  }
  const source = move.source ?? tokenAccountAtOnce(move.from, move.token);
  if (move.kind === 'close') {
    const steps = [{ program: TOKEN_PROGRAM, accounts: [source, move.to, move.from], data: '09' }];
    return { written: [source, move.to], steps };
  }
  const { from, to, token, amount, decimals } = move;
  const destination = tokenAccountAtOnce(to, token);
  const payment = {
    program: TOKEN_PROGRAM,
    accounts: [source, token, destination, from],
    data: `0c${littleEndian(amount, UINT_64)}${littleEndian(decimals, 1)}`,
  };
  const account = {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [payer, destination, to, token, SYSTEM_PROGRAM, TOKEN_PROGRAM],
    data: '01',
  };
  return { written: [source, destination], steps: move.opensAccount ? [account, payment] : [payment] };
}

/** Returns a number in hex; in no form that bytes can have if it does not fit. */
function littleEndian(value: bigint | number, bytes: number): string {
  const isNumber = typeof value === 'bigint' || Number.isSafeInteger(value);
  const digits = isNumber && value >= 0 ? value.toString(16).padStart(2 * bytes, '0') : '';
  return digits.length === 2 * bytes ? (digits.match(/../g) ?? []).toReversed().join('') : 'impossible';
}
