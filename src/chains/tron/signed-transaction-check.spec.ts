import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import * as fc from 'fast-check';
import { anyUnsigned, byTronWeb, HOT_ADDRESS, HOT_KEY, OTHER_KEY } from '../../../test/support/tron-transactions.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import { rawDataBytes } from './transaction-bytes.js';
import { hexOfKey, keyOfHash } from './tron-address.js';
import type { TronAction, TronDelegation, UnsignedTronTransaction } from './unsigned-transaction.js';

const RECIPIENT = keyOfHash('a1'.repeat(20));
const TOKEN = keyOfHash('b2'.repeat(20));
const OTHER = keyOfHash('c3'.repeat(20));

const token: TronAction = { kind: 'token', to: RECIPIENT, token: TOKEN, amount: 25_000_000n };
const coin: TronAction = { kind: 'coin', to: RECIPIENT, amount: 5n };
const asked: UnsignedTronTransaction = {
  family: 'tron',
  owner: HOT_ADDRESS,
  action: token,
  refBlock: `000000000012d687${'d4'.repeat(24)}`,
  expiration: 1_800_000_090_000,
  timestamp: 1_799_999_940_007,
  feeLimit: 26_200_000n,
};
const lent: TronDelegation = { kind: 'delegate', to: RECIPIENT, amount: 8_000_000_000n };
const signed = (unsigned: UnsignedTronTransaction): SignedBytes => signTronTransaction([HOT_KEY], unsigned);

/** The field that the check names; null when it lets the bytes pass. */
function complaint(bytes: SignedBytes, unsigned: UnsignedTronTransaction): string | null {
  try {
    checkSignedTransaction(bytes, unsigned);
    return null;
  } catch (error) {
    if (error instanceof SignedMismatch) return error.field;
    throw error;
  }
}

const field = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([lengthOf((number << 3) | 2), lengthOf(value.length), value]);
const lengthOf = (value: number): Buffer =>
  value < 128 ? Buffer.of(value) : Buffer.of((value % 128) + 128, Math.floor(value / 128));

/** Signs any bytes, as somebody would who has changed the builder and can use the key. */
function signedRaw(rawData: Buffer, key = HOT_KEY, change = (signature: Buffer): Buffer => signature): SignedBytes {
  const id = createHash('sha256').update(rawData).digest();
  const [recovery = 0, ...compact] = secp256k1.sign(id, key, { prehash: false, format: 'recovered' });
  const signature = change(Buffer.from([...compact, recovery + 27]));
  return { txHash: id.toString('hex'), raw: Buffer.concat([field(1, rawData), field(2, signature)]).toString('hex') };
}

const rawData = Buffer.from(rawDataBytes(asked));

/** The same signature with the other `s`, which the curve accepts as well. */
function twin(signature: Buffer): Buffer {
  const { n } = secp256k1.Point.CURVE();
  const s = n - BigInt(`0x${signature.subarray(32, 64).toString('hex')}`);
  const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex');
  return Buffer.concat([signature.subarray(0, 32), other, Buffer.of(55 - (signature[64] ?? 0))]);
}

/** The bytes of a loan with another resource, and something at the end of its body. */
function withBody(bytes: Buffer, resource: Buffer, end: Buffer): Buffer {
  const body = Buffer.from(`0a15${hexOfKey(HOT_ADDRESS)}`, 'hex');
  const at = bytes.indexOf(body);
  const rest = bytes.subarray(at + body.length + 2, bytes.indexOf(Buffer.of(0x70), at + body.length + 30));
  const value = Buffer.concat([body, resource, rest, end]);
  const url = field(1, Buffer.from('type.googleapis.com/protocol.DelegateResourceContract'));
  const contract = Buffer.concat([Buffer.of(0x08, 57), field(2, Buffer.concat([url, field(2, value)]))]);
  const start = bytes.indexOf(Buffer.of(0x5a), 20);
  const tail = bytes.subarray(at + body.length + 2 + rest.length);
  return Buffer.concat([bytes.subarray(0, start), field(11, contract), tail]);
}

const others: readonly (readonly [field: string, UnsignedTronTransaction])[] = [
  ['refBlock', { ...asked, refBlock: `000000000012d688${'d4'.repeat(24)}` }],
  ['refBlock', { ...asked, refBlock: `000000000012d687${'d5'.repeat(24)}` }],
  ['expiration', { ...asked, expiration: asked.expiration + 1 }],
  ['timestamp', { ...asked, timestamp: asked.timestamp + 1 }],
  ['feeLimit', { ...asked, feeLimit: asked.feeLimit + 1n }],
  ['owner', { ...asked, owner: OTHER }],
  ['token', { ...asked, action: { ...token, token: OTHER } }],
  ['data', { ...asked, action: { ...token, to: OTHER } }],
  ['data', { ...asked, action: { ...token, amount: 25_000_001n } }],
  ['action', { ...asked, action: coin }],
];

const forgeries: readonly (readonly [name: string, field: string, forge: () => SignedBytes])[] = [
  ['no hex', 'raw', () => ({ ...signed(asked), raw: 'zz' })],
  ['another spelling in hex', 'raw', () => ({ ...signed(asked), raw: signed(asked).raw.toUpperCase() })],
  ['no bytes', 'raw', () => ({ ...signed(asked), raw: '' })],
  ['a byte too few', 'raw', () => ({ ...signed(asked), raw: signed(asked).raw.slice(0, -2) })],
  ['a memo', 'action', () => signedRaw(withFieldBefore(11, field(10, Buffer.from('memo'))))],
  ['a second contract', 'timestamp', () => signedRaw(withFieldBefore(14, contractOf(rawData)))],
  ['scripts', 'timestamp', () => signedRaw(withFieldBefore(14, field(12, Buffer.of(1))))],
  ['a field at the end', 'raw', () => signedRaw(Buffer.concat([rawData, Buffer.of(0x98, 0x01, 1)]))],
  [
    'a number in a longer form',
    'raw',
    () => signedRaw(Buffer.concat([rawData.subarray(0, -1), longer(rawData.at(-1))])),
  ],
  ['another permission', 'raw', () => signedRaw(withPermission(2))],
  ['a signature of somebody else', 'signature', () => signedRaw(rawData, OTHER_KEY)],
  ['the twin of its signature', 'signature', () => signedRaw(rawData, HOT_KEY, twin)],
  ['a signature too short', 'signature', () => signedRaw(rawData, HOT_KEY, (bytes) => bytes.subarray(0, 64))],
  ['a signature of nothing', 'signature', () => signedRaw(rawData, HOT_KEY, () => Buffer.alloc(65, 27))],
  ['no signature', 'raw', () => ({ ...signed(asked), raw: field(1, rawData).toString('hex') })],
  ['two signatures', 'raw', () => ({ ...signed(asked), raw: `${signed(asked).raw}1200` })],
  ['the id of another', 'txHash', () => ({ ...signed(asked), txHash: signed({ ...asked, timestamp: 1 }).txHash })],
];

const longer = (last = 0): Buffer => Buffer.of(last + 128, 0);

function placeOf(number: number): number {
  const tag = lengthOf((number << 3) | (number === 11 ? 2 : 0));
  const at = number === 11 ? rawData.indexOf(tag, 20) : rawData.lastIndexOf(tag, rawData.length - 6);
  if (at < 0) throw new Error(`There is no field ${number}.`);
  return at;
}

function withFieldBefore(number: number, added: Buffer): Buffer {
  const at = placeOf(number);
  return Buffer.concat([rawData.subarray(0, at), added, rawData.subarray(at)]);
}

const contractOf = (bytes: Buffer): Buffer => bytes.subarray(placeOf(11), placeOf(14));

function withPermission(id: number): Buffer {
  const contract = contractOf(rawData);
  const body = Buffer.concat([contract.subarray(3), Buffer.of(0x28, id)]);
  return Buffer.concat([rawData.subarray(0, placeOf(11)), field(11, body), rawData.subarray(placeOf(14))]);
}

describe('a signed transaction of tron', () => {
  it('passes when it is any payment that was asked for', () => {
    fc.assert(
      fc.property(anyUnsigned, (unsigned) => {
        expect(complaint(signed(unsigned), unsigned)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it('has the bytes and the id that tronweb gives it [I-125]', () => {
    const exact = (unsigned: UnsignedTronTransaction): UnsignedTronTransaction => {
      const { action } = unsigned;
      return action.kind !== 'token'
        ? { ...unsigned, action: { ...action, amount: (action.amount % 2n ** 53n) + 1n } }
        : unsigned;
    };
    fc.assert(
      fc.property(anyUnsigned.map(exact), (unsigned) => {
        const { rawDataHex, txId } = byTronWeb(unsigned);
        expect(Buffer.from(rawDataBytes(unsigned)).toString('hex')).toBe(rawDataHex);
        expect(signed(unsigned).txHash).toBe(txId);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same every time', () => {
    expect(signed(asked)).toEqual(signed(asked));
  });

  it.each(others)('is refused when it is another one: %s [I-126]', (name, unsigned) => {
    const bytes = unsigned.owner === HOT_ADDRESS ? signed(unsigned) : signedRaw(Buffer.from(rawDataBytes(unsigned)));
    expect(complaint(bytes, asked)).toBe(name);
  });

  it.each<[string, TronAction]>([
    ['to', { ...lent, to: OTHER }],
    ['amount', { ...lent, amount: 8_000_000_001n }],
    ['action', { ...lent, kind: 'undelegate' }],
    ['action', coin],
  ])('that lends energy is refused when it is another one: %s', (name, action) => {
    const loan = { ...asked, action: lent, feeLimit: 0n };
    expect(complaint(signed({ ...loan, action }), loan)).toBe(name);
    expect(complaint(signed(loan), loan)).toBeNull();
  });

  it.each<[string, string, Buffer]>([
    ['of bandwidth', 'resource', Buffer.of(0x10, 0)],
    ['that is locked', 'raw', Buffer.of(0x10, 1)],
  ])('that lends energy is refused as one %s', (what, name, resource) => {
    const loan = { ...asked, action: lent, feeLimit: 0n };
    const bytes = Buffer.from(rawDataBytes(loan));
    const locked = what === 'that is locked' ? Buffer.of(0x28, 1) : Buffer.alloc(0);
    expect(complaint(signedRaw(withBody(bytes, resource, locked)), loan)).toBe(name);
  });

  it.each(forgeries)('is refused with %s [I-126]', (_name, refused, forge) => {
    expect(complaint(forge(), asked)).toBe(refused);
  });

  it('is refused when one bit of it is another', () => {
    const { raw, txHash } = signed(asked);
    const bytes = Buffer.from(raw, 'hex');
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(complaint({ raw: changed.toString('hex'), txHash }, asked)).not.toBeNull();
    }
  });

  it('cannot hold a number that is negative or too large', () => {
    for (const amount of [-1n, 2n ** 63n]) {
      expect(() => rawDataBytes({ ...asked, action: { ...coin, amount }, feeLimit: 0n })).toThrow(RangeError);
    }
  });
});
