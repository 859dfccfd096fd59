import {
  BUILTIN_PROGRAMS,
  COMPUTE_BUDGET_PROGRAM,
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  SECP256R1_PROGRAM,
} from './programs.js';
import type { WireInstruction, WireMessage } from './wire-transaction.js';

const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS = 1_000_000n;
const UNITS_MAX = 1_400_000;
/** What an instruction reserves when the transaction sets no limit (SIMD-0170). */
const UNITS_OF_BUILTIN = 3_000;
const UNITS_OF_PROGRAM = 200_000;

const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
const UNIT_LIMIT_BYTES = 5;
const UNIT_PRICE_BYTES = 9;

const SIGNATURE_PROGRAMS: ReadonlySet<string> = new Set([ED25519_PROGRAM, SECP256K1_PROGRAM, SECP256R1_PROGRAM]);

/**
 * Returns the fee of a message in lamports: per signature, also those that instructions verify, and the priority fee, which
 * is the price per compute unit times the limit, rounded up (solana-fee, compute-budget-instruction of Agave). Version 1
 * names its priority fee.
 */
export function feeOf(message: WireMessage): bigint {
  const verified = message.instructions
    .filter((instruction) => SIGNATURE_PROGRAMS.has(programOf(message, instruction)))
    .reduce((sum, { data }) => sum + (data[0] ?? 0), 0);
  return LAMPORTS_PER_SIGNATURE * BigInt(message.header.signers + verified) + priorityFeeOf(message);
}

/** Returns the price per compute unit in micro-lamports. */
export function unitPriceOf(message: WireMessage): bigint {
  if (message.config !== null) {
    const { priorityFee, computeUnitLimit } = message.config;
    return (computeUnitLimit ?? 0) === 0 ? 0n : ((priorityFee ?? 0n) * MICRO_LAMPORTS) / BigInt(computeUnitLimit ?? 0);
  }
  const set = budgetInstruction(message, SET_UNIT_PRICE, UNIT_PRICE_BYTES);
  return set === undefined ? 0n : viewOf(set).getBigUint64(1, true);
}

function priorityFeeOf(message: WireMessage): bigint {
  if (message.config !== null) return message.config.priorityFee ?? 0n;
  const product = unitPriceOf(message) * BigInt(unitLimitOf(message));
  return (product + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

function unitLimitOf(message: WireMessage): number {
  const set = budgetInstruction(message, SET_UNIT_LIMIT, UNIT_LIMIT_BYTES);
  const units =
    set === undefined
      ? message.instructions.reduce((sum, one) => sum + defaultUnitsOf(programOf(message, one)), 0)
      : viewOf(set).getUint32(1, true);
  return Math.min(units, UNITS_MAX);
}

const defaultUnitsOf = (program: string): number =>
  BUILTIN_PROGRAMS.has(program) ? UNITS_OF_BUILTIN : UNITS_OF_PROGRAM;

function budgetInstruction(message: WireMessage, kind: number, bytes: number): WireInstruction | undefined {
  return message.instructions.find(
    (one) => programOf(message, one) === COMPUTE_BUDGET_PROGRAM && one.data[0] === kind && one.data.length >= bytes,
  );
}

const programOf = (message: WireMessage, { programIndex }: WireInstruction): string => message.keys[programIndex] ?? '';

const viewOf = ({ data }: WireInstruction): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength);
