import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import {
  anyAddress,
  anyUnsignedPayment,
  anyUnsignedSweep,
  DEPOSIT_KEYS,
  HOT_KEY,
} from '../../../test/support/solana-moves.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { SolanaKey } from '../../vault/solana/solana-derivation.js';
import { signMoves } from '../../vault/solana/solana-signing.js';
import { movesMessage } from './moves-message.js';
import { checkSignedMoves } from './signed-moves-check.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { FundsMove, UnsignedMoves } from './unsigned-moves.js';

/** The field that the check names; null when it lets the bytes pass. */
function complaint(signed: SignedBytes, unsigned: UnsignedMoves): string | null {
  try {
    checkSignedMoves(signed, unsigned);
    return null;
  } catch (error) {
    if (error instanceof SignedMismatch) return error.field;
    throw error;
  }
}

/** Bytes of a transaction with the id that a node would give them. */
function identified(bytes: Buffer): SignedBytes {
  return { txHash: base58.encode(bytes.subarray(1, 65)), raw: bytes.toString('base64') };
}

/** A message of somebody who has changed the builder and can use the key. */
function signedMessage(message: Uint8Array, key: SolanaKey = HOT_KEY): SignedBytes {
  return identified(Buffer.concat([Buffer.of(1), key.sign(message), message]));
}

const TOKEN = base58.encode(Buffer.alloc(32, 1));
const RECIPIENT = base58.encode(Buffer.alloc(32, 2));
const OTHER = base58.encode(Buffer.alloc(32, 3));

const payment: FundsMove = {
  kind: 'token',
  from: HOT_KEY.address,
  to: RECIPIENT,
  token: TOKEN,
  decimals: 6,
  amount: 25_000_000n,
  opensAccount: true,
};
const asked: UnsignedMoves = {
  family: 'solana',
  payer: HOT_KEY.address,
  moves: [payment],
  blockhash: base58.encode(Buffer.alloc(32, 9)),
  computeUnitLimit: 100_007,
  computeUnitPrice: 20_000n,
};
const signed = (unsigned: UnsignedMoves): SignedBytes => signMoves([HOT_KEY], unsigned);
const message = Buffer.from(movesMessage(asked).bytes);

/** The places of the message: version, header, number of keys, keys, blockhash, number of instructions, instructions. */
const HEADER_AT = 1;
const KEYS_AT = 5;
const KEYS = 9;
const BLOCKHASH_AT = KEYS_AT + 32 * KEYS;
const INSTRUCTIONS_AT = BLOCKHASH_AT + 32;

function changed(change: (bytes: number[]) => void): Uint8Array {
  const bytes = [...message];
  change(bytes);
  return Uint8Array.from(bytes);
}

const other: readonly (readonly [field: string, UnsignedMoves])[] = [
  ['blockhash', { ...asked, blockhash: OTHER }],
  ['computeUnitLimit', { ...asked, computeUnitLimit: asked.computeUnitLimit + 1 }],
  ['computeUnitPrice', { ...asked, computeUnitPrice: asked.computeUnitPrice + 1n }],
  ['accounts', { ...asked, moves: [{ ...payment, to: OTHER }] }],
  ['accounts', { ...asked, moves: [{ ...payment, token: OTHER }] }],
  ['accounts', { ...asked, moves: [{ ...payment, opensAccount: false }] }],
  ['moves', { ...asked, moves: [{ ...payment, amount: payment.amount + 1n }] }],
  ['moves', { ...asked, moves: [{ ...payment, decimals: 7 }] }],
  ['moves', { ...asked, moves: [payment, payment] }],
  ['accounts', { ...asked, moves: [payment, { kind: 'coin', from: HOT_KEY.address, to: OTHER, amount: 1n }] }],
  ['moves', { ...asked, moves: [{ kind: 'coin', from: HOT_KEY.address, to: HOT_KEY.address, amount: 1n }, payment] }],
  ['accounts', { ...asked, moves: [{ kind: 'close', from: HOT_KEY.address, token: TOKEN, to: RECIPIENT }] }],
  ['accounts', { ...asked, moves: [] }],
];

const forgeries: readonly (readonly [name: string, field: string, forge: () => SignedBytes])[] = [
  ['no base64', 'raw', () => ({ ...signed(asked), raw: '!' })],
  ['another spelling in base64', 'raw', () => ({ ...signed(asked), raw: `${signed(asked).raw}\n` })],
  ['no bytes', 'raw', () => ({ ...signed(asked), raw: '' })],
  ['a byte too many', 'raw', () => signedMessage(Buffer.concat([message, Buffer.of(0)]))],
  ['a byte too few', 'raw', () => signedMessage(message.subarray(0, -1))],
  ['no version', 'raw', () => signedMessage(message.subarray(1))],
  ['version 1', 'version', () => signedMessage(changed((bytes) => (bytes[0] = 0x81)))],
  [
    'a lookup table',
    'lookupTables',
    () => signedMessage(changed((bytes) => bytes.splice(-1, 1, 1, ...Buffer.alloc(34)))),
  ],
  ['a length in a longer form', 'raw', () => signedMessage(changed((bytes) => bytes.splice(4, 1, 0x80 + KEYS, 0)))],
  ['a length beyond 16 bits', 'raw', () => signedMessage(changed((bytes) => bytes.splice(4, 1, 0xff, 0xff, 0x7f)))],
  ['a second signer', 'signers', () => signedMessage(changed((bytes) => (bytes[HEADER_AT] = 2)))],
  ['no signer', 'signers', () => signedMessage(changed((bytes) => (bytes[HEADER_AT] = 0)))],
  [
    'an account that may not be written',
    'accounts',
    () => signedMessage(changed((bytes) => (bytes[HEADER_AT + 2]! += 1))),
  ],
  ['an account that may be written', 'accounts', () => signedMessage(changed((bytes) => (bytes[HEADER_AT + 2]! -= 1)))],
  ['a payer that is only read', 'accounts', () => signedMessage(changed((bytes) => (bytes[HEADER_AT + 1] = 1)))],
  ['another payer', 'payer', () => signedMessage(changed((bytes) => bytes.fill(4, KEYS_AT, KEYS_AT + 32)))],
  [
    'a key twice',
    'accounts',
    () => signedMessage(changed((bytes) => bytes.copyWithin(KEYS_AT + 64, KEYS_AT + 32, KEYS_AT + 64))),
  ],
  ['an account of nothing', 'accounts', () => signedMessage(withExtraKey())],
  ['an instruction too many', 'moves', () => signedMessage(withExtraInstruction())],
  ['an instruction too few', 'moves', () => signedMessage(withoutLastInstruction())],
  [
    'an index beyond the keys',
    'computeUnitLimit',
    () => signedMessage(changed((bytes) => (bytes[INSTRUCTIONS_AT + 1] = 200))),
  ],
  ['a signature of somebody else', 'signature', () => signedMessage(message, DEPOSIT_KEYS[0])],
  [
    'no signature',
    'signature',
    () => ({ ...signed(asked), raw: Buffer.concat([Buffer.of(0), message]).toString('base64') }),
  ],
  ['a signature twice', 'signature', () => twice()],
  ['a signature of nothing', 'signature', () => identified(Buffer.concat([Buffer.of(1), Buffer.alloc(64), message]))],
  ['the id of another', 'txHash', () => ({ ...signed(asked), txHash: signed({ ...asked, blockhash: OTHER }).txHash })],
];

function withExtraKey(): Uint8Array {
  return changed((bytes) => {
    bytes.splice(BLOCKHASH_AT, 0, ...Buffer.alloc(32, 5));
    bytes[KEYS_AT - 1] = KEYS + 1;
    bytes[HEADER_AT + 2]! += 1;
  });
}

function withExtraInstruction(): Uint8Array {
  return changed((bytes) => {
    bytes[INSTRUCTIONS_AT]! += 1;
    // The last byte is the number of lookup tables. The same program, without accounts and data.
    bytes.splice(-1, 0, bytes[INSTRUCTIONS_AT + 1]!, 0, 0);
  });
}

function withoutLastInstruction(): Uint8Array {
  const withIt = movesMessage(asked).bytes.length;
  const without = movesMessage({ ...asked, moves: [] }).bytes.length;
  expect(withIt).toBeGreaterThan(without);
  const transferBytes = 1 + 1 + 4 + 1 + 10;
  return changed((bytes) => {
    bytes[INSTRUCTIONS_AT]! -= 1;
    bytes.splice(-1 - transferBytes, transferBytes);
  });
}

function twice(): SignedBytes {
  const signature = HOT_KEY.sign(message);
  return identified(Buffer.concat([Buffer.of(2), signature, signature, message]));
}

describe('signed moves', () => {
  it('pass when they are any payment or sweep that was asked for', () => {
    fc.assert(
      fc.property(anyUnsignedPayment, (unsigned) => {
        expect(complaint(signed(unsigned), unsigned)).toBeNull();
      }),
      { numRuns: 30 },
    );
    fc.assert(
      fc.property(anyUnsignedSweep, (unsigned) => {
        expect(complaint(signMoves([HOT_KEY, ...DEPOSIT_KEYS], unsigned), unsigned)).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  it.each(other)('that differ in their %s are refused, and it is named [I-125]', (field, unsigned) => {
    expect(complaint(signed(asked), asked)).toBeNull();
    expect(complaint(signed(unsigned), asked)).toBe(field);
  });

  it.each(forgeries)('with %s are refused by their %s [I-125]', (_name, field, forge) => {
    expect(complaint(forge(), asked)).toBe(field);
  });

  it('with any byte changed are refused, also when the changed bytes are signed [I-125]', () => {
    const whole = Buffer.from(signed(asked).raw, 'base64');
    for (let place = 0; place < whole.length; place += 1) {
      const flipped = Buffer.from(whole);
      flipped[place]! ^= 1 << (place % 8);
      expect([place, complaint(identified(flipped), asked)]).not.toEqual([place, null]);
    }
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.integer({ min: 1, max: 255 }), (place, by) => {
        const signedChange = signedMessage(changed((bytes) => (bytes[place]! ^= by)));
        expect(complaint(signedChange, asked)).not.toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  it('of other moves than those asked for are refused, whatever differs [I-125]', () => {
    fc.assert(
      fc.property(anyUnsignedPayment, anyUnsignedPayment, anyAddress, (one, two, blockhash) => {
        expect(complaint(signed({ ...one, blockhash }), { ...two, blockhash })).not.toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it.each<[string, Partial<UnsignedMoves>]>([
    ['computeUnitLimit', { computeUnitLimit: 1.5 }],
    ['computeUnitLimit', { computeUnitLimit: 2 ** 32 }],
    ['computeUnitPrice', { computeUnitPrice: -1n }],
    ['computeUnitPrice', { computeUnitPrice: 2n ** 64n }],
    ['moves', { moves: [{ ...payment, amount: 2n ** 64n }] }],
    ['moves', { moves: [{ ...payment, decimals: 256 }] }],
  ])('never match a %s that cannot be [I-125]', (field, impossible) => {
    expect(complaint(signed(asked), { ...asked, ...impossible })).toBe(field);
  });
});
