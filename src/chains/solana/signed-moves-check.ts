import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { type ExpectedContent, expectedContent, type ExpectedInstruction } from './expected-instructions.js';
import { type DecodedTransaction, decodeTransaction } from './transaction-decoder.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { UnsignedMoves } from './unsigned-moves.js';

/**
 * Decodes signed bytes and compares every part of them with the moves that were to be signed: version, signers, accounts,
 * blockhash and instructions, with none beside them; then each signature, and the id. The decoder, the comparison and the
 * library of the signatures are others than the signer's, so that a compromised builder is detected.
 * @throws SignedMismatch naming the first field that differs
 */
export function checkSignedMoves({ raw, txHash }: SignedBytes, unsigned: UnsignedMoves): void {
  const decoded = decode(raw);
  const { version, keys, blockhash, lookupTables, signatures, message } = decoded;
  const expected = expectedContent(unsigned);
  assertSame(version === 0, 'version');
  assertSame(lookupTables === 0, 'lookupTables');
  assertSame(keys[0] === unsigned.payer, 'payer');
  compareAccounts(decoded, expected);
  assertSame(blockhash === unsigned.blockhash, 'blockhash');
  compareInstructions(decoded, expected.instructions);
  assertSame(signatures.length === expected.signers.size, 'signature');
  for (const [place, signature] of signatures.entries()) {
    assertSame(isSignedBy(keys[place] ?? '', message, signature), 'signature');
  }
  assertSame(txHash === base58.encode(signatures[0] ?? new Uint8Array()), 'txHash');
}

function assertSame(isSame: boolean, field: string): void {
  if (!isSame) throw new SignedMismatch(field);
}

function decode(raw: string): DecodedTransaction {
  const bytes = Buffer.from(raw, 'base64');
  assertSame(bytes.toString('base64') === raw, 'raw');
  try {
    return decodeTransaction(bytes);
  } catch {
    throw new SignedMismatch('raw');
  }
}

/** The accounts are exactly those of the moves, each once, and each may do exactly what its move needs. */
function compareAccounts(
  { keys, header }: DecodedTransaction,
  { instructions, signers, writable }: ExpectedContent,
): void {
  const [signing, readonlySigners, readonlyOthers] = header;
  const isWritable = (place: number): boolean =>
    place < signing ? place < signing - readonlySigners : place < keys.length - readonlyOthers;
  assertSame(isSameSet(keys.slice(0, signing), signers), 'signers');
  const used = new Set([...signers, ...instructions.flatMap(({ program, accounts }) => [program, ...accounts])]);
  assertSame(isSameSet(keys, used), 'accounts');
  assertSame(
    isSameSet(
      keys.filter((_key, place) => isWritable(place)),
      writable,
    ),
    'accounts',
  );
}

const isSameSet = (keys: readonly string[], expected: ReadonlySet<string>): boolean =>
  keys.length === expected.size && new Set(keys).size === keys.length && keys.every((key) => expected.has(key));

function compareInstructions(
  { keys, instructions }: DecodedTransaction,
  expected: readonly ExpectedInstruction[],
): void {
  for (const [place, { program, accounts, data, field }] of expected.entries()) {
    const found = instructions[place];
    const isSame =
      found !== undefined &&
      keys[found.program] === program &&
      found.accounts.length === accounts.length &&
      found.accounts.every((index, at) => keys[index] === accounts[at]) &&
      found.data.toString('hex') === data;
    assertSame(isSame, field);
  }
  assertSame(instructions.length === expected.length, 'moves');
}

/** Whether a signature of a message is by this key. */
export function isSignedBy(key: string, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, base58.decode(key), { zip215: false });
  } catch {
    return false;
  }
}
