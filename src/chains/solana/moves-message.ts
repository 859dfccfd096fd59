import { base58 } from '@scure/base';
import { type AccountUse, type Instruction, instructionsOf } from './move-instructions.js';
import type { UnsignedMoves } from './unsigned-moves.js';

/** The most bytes of a transaction of version 0: what fits into one packet of IPv6. */
const BYTES_MAX = 1_232;
const SIGNATURE_BYTES = 64;
/** The first bit marks a version, the others are its number, 0. */
const VERSION_0 = 0x80;
/** A length is written seven bits at a time; the eighth says that more follow. */
const LENGTH_BITS = 7;
const LENGTH_MORE = 0x80;

/** A message and the addresses that must sign it, in their order. */
export interface MovesMessage {
  readonly bytes: Uint8Array;
  readonly signers: readonly string[];
}

/**
 * Returns the message of a transaction, in version 0 and without lookup tables. It is built here, because loading a library
 * for it would make each start slower, and is checked by `checkSignedMoves`, which is other code.
 * @throws RangeError when the signed transaction would have more than 1,232 bytes
 */
export function movesMessage(unsigned: UnsignedMoves): MovesMessage {
  const message = messageOf(unsigned);
  const size = sizeOf(message);
  if (size > BYTES_MAX) throw new RangeError(`A transaction of ${size} bytes is larger than ${BYTES_MAX}.`);
  return message;
}

/** Whether moves fit into one transaction with their signatures. */
export const fitsIntoTransaction = (unsigned: UnsignedMoves): boolean => sizeOf(messageOf(unsigned)) <= BYTES_MAX;

const sizeOf = ({ bytes, signers }: MovesMessage): number =>
  length(signers.length).length + signers.length * SIGNATURE_BYTES + bytes.length;

function messageOf(unsigned: UnsignedMoves): MovesMessage {
  const instructions = instructionsOf(unsigned);
  const accounts = orderedAccounts(unsigned.payer, instructions);
  const signers = accounts.filter(({ signs }) => signs);
  const keys = accounts.map(({ key }) => key);
  const bytes = Buffer.concat([
    Buffer.of(VERSION_0),
    Buffer.of(signers.length, countReadonly(signers), countReadonly(accounts.filter(({ signs }) => !signs))),
    length(keys.length),
    ...keys.map((key) => base58.decode(key)),
    base58.decode(unsigned.blockhash),
    length(instructions.length),
    ...instructions.map((instruction) => instructionBytes(instruction, keys)),
    length(0),
  ]);
  return { bytes, signers: signers.map(({ key }) => key) };
}

/** Returns a message with its signatures, as nodes take it: in base64. */
export function encodedTransaction({ bytes }: MovesMessage, signatures: readonly Uint8Array[]): string {
  return Buffer.concat([length(signatures.length), ...signatures, bytes]).toString('base64');
}

/** Returns a transaction without its signatures, which are zeros, for a simulation. */
export function unsignedTransaction(unsigned: UnsignedMoves): string {
  const message = movesMessage(unsigned);
  return encodedTransaction(
    message,
    message.signers.map(() => new Uint8Array(SIGNATURE_BYTES)),
  );
}

/** Returns every account once: those that sign before others, and writable ones before those that are only read. */
function orderedAccounts(payer: string, instructions: readonly Instruction[]): readonly AccountUse[] {
  const uses = new Map<string, AccountUse>([[payer, { key: payer, signs: true, writes: true }]]);
  for (const { program, accounts } of instructions) {
    for (const { key, signs, writes } of [...accounts, { key: program, signs: false, writes: false }]) {
      const known = uses.get(key);
      uses.set(key, { key, signs: signs || known?.signs === true, writes: writes || known?.writes === true });
    }
  }
  const rank = ({ signs, writes }: AccountUse): number => (signs ? 0 : 2) + (writes ? 0 : 1);
  return [...uses.values()].toSorted((a, b) => rank(a) - rank(b));
}

const countReadonly = (accounts: readonly AccountUse[]): number => accounts.filter(({ writes }) => !writes).length;

function instructionBytes({ program, accounts, data }: Instruction, keys: readonly string[]): Uint8Array {
  return Buffer.concat([
    Buffer.of(keys.indexOf(program)),
    length(accounts.length),
    Buffer.from(accounts.map(({ key }) => keys.indexOf(key))),
    length(data.length),
    data,
  ]);
}

function length(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= LENGTH_MORE) {
    bytes.push((rest % LENGTH_MORE) + LENGTH_MORE);
    rest >>= LENGTH_BITS;
  }
  return Buffer.of(...bytes, rest);
}
