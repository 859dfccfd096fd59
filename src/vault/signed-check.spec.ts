import { HDNodeWallet, keccak256, Transaction, type TransactionLike, Wallet } from 'ethers';
import * as fc from 'fast-check';
import { anEvmTransaction, anyEvmTransaction } from '../../test/support/evm-transactions.js';
import type {
  EvmTransactionFields,
  SignedEvmAuthorization,
  SignedEvmTransaction,
} from '../chains/evm/evm-transaction.js';
import { decodeRlp, encodeRlp, type RlpItem } from './evm/rlp.js';
import { checkAuthorization, checkSigned, type ExpectedEvmTransaction, type SignedField } from './signed-check.js';
import { SignedMismatch } from '../domain/signed-mismatch.js';

/** The first account of every development chain. */
const WALLET = new Wallet(
  HDNodeWallet.fromPhrase('test test test test test test test test test test test junk').privateKey,
);
const CURVE_ORDER = 2n ** 256n - 432420386565659656852420866394968145599n;

const expecting = (transaction: EvmTransactionFields): ExpectedEvmTransaction => ({
  ...transaction,
  sender: WALLET.address,
});

/** The transaction as the library signs it: the whole builder, as somebody could have changed it. */
function signedBy(wallet: Wallet, transaction: TransactionLike): SignedEvmTransaction {
  const built = Transaction.from(transaction);
  built.signature = wallet.signingKey.sign(built.unsignedHash);
  return withHash(built.serialized);
}

const withHash = (raw: string): SignedEvmTransaction => ({ raw, hash: keccak256(raw) });

/** The signed transaction with its twelve items changed, hash and all. */
function rebuilt({ raw }: SignedEvmTransaction, change: (items: RlpItem[]) => void): SignedEvmTransaction {
  const items = decodeRlp(Buffer.from(raw.slice(4), 'hex'));
  if (Buffer.isBuffer(items)) throw new Error('A transaction is a list.');
  const changed = [...items];
  change(changed);
  return withHash(`0x02${encodeRlp(changed).toString('hex')}`);
}

const [TO, ACCESS_LIST, Y_PARITY, R, S] = [5, 8, 9, 10, 11] as const;

function numberAt(items: readonly RlpItem[], position: number): bigint {
  const item = items[position];
  if (!Buffer.isBuffer(item)) throw new Error('A number is bytes.');
  return item.length === 0 ? 0n : BigInt(`0x${item.toString('hex')}`);
}

const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** The field that the check names; null when it lets the bytes pass. */
function complaint(signed: SignedEvmTransaction, expected: ExpectedEvmTransaction): string | null {
  try {
    checkSigned(signed, expected);
    return null;
  } catch (error) {
    if (error instanceof SignedMismatch) return error.field;
    throw error;
  }
}

/** Another transaction that differs from the given one in one field alone. */
const MUTATIONS: readonly (readonly [SignedField, (t: EvmTransactionFields, by: number) => EvmTransactionFields])[] = [
  ['chainId', (t, by) => ({ ...t, chainId: t.chainId + BigInt(by) })],
  ['nonce', (t, by) => ({ ...t, nonce: t.nonce + by })],
  ['to', (t, by) => ({ ...t, to: shifted(t.to, by) })],
  ['value', (t, by) => ({ ...t, value: t.value ^ BigInt(by) })],
  ['data', (t, by) => ({ ...t, data: `${t.data}${by.toString(16).padStart(4, '0')}` })],
  ['gasLimit', (t, by) => ({ ...t, gasLimit: t.gasLimit + BigInt(by) })],
  ['maxFeePerGas', (t, by) => ({ ...t, maxFeePerGas: t.maxFeePerGas + BigInt(by) })],
  ['maxPriorityFeePerGas', (t, by) => ({ ...t, maxPriorityFeePerGas: t.maxPriorityFeePerGas ^ BigInt(by) })],
];

/** The address with one of its 160 bits turned. */
function shifted(address: string, by: number): string {
  return `0x${(BigInt(address) ^ (1n << BigInt(by % 160))).toString(16).padStart(40, '0')}`;
}

const byAnything = fc.integer({ min: 1, max: 65_535 });

const asked = anEvmTransaction({ data: '0xa9059cbb' });
const honest = signedBy(WALLET, { ...asked, type: 2 });

/** Bytes that are no EIP-1559 transaction of ours, the field that is named, and how they come to be. */
const FORGERIES: readonly (readonly [name: string, field: SignedField, forge: () => SignedEvmTransaction])[] = [
  ['no hex', 'raw', () => ({ ...honest, raw: 'raw' })],
  ['no bytes', 'raw', () => withHash('0x')],
  ['a type without content', 'raw', () => withHash('0x02')],
  ['no signature', 'raw', () => withHash(Transaction.from({ ...asked, type: 2 }).unsignedSerialized)],
  ['a byte too many', 'raw', () => withHash(`${honest.raw}00`)],
  ['a byte too few', 'raw', () => withHash(honest.raw.slice(0, -2))],
  ['an item too many', 'raw', () => rebuilt(honest, (items) => items.push(Buffer.alloc(0)))],
  ['an item instead of a list', 'raw', () => withHash('0x0283646f67')],
  ['a longer spelling of its length', 'raw', () => withHash(honest.raw.replace(/^0x02f8/, '0x02f900'))],
  ['no protection against replay', 'type', () => legacy(0n)],
  ['a gas price', 'type', () => legacy(asked.chainId)],
  ['an access list and a gas price', 'type', () => signedBy(WALLET, { ...gasPriced(asked.chainId), type: 1 })],
  ['blobs', 'type', () => signedBy(WALLET, { ...asked, type: 3, ...BLOBS })],
  ['an authorization', 'type', () => signedBy(WALLET, { ...asked, type: 4, authorizationList: [authorization()] })],
  ['an access list', 'accessList', () => signedBy(WALLET, { ...asked, type: 2, accessList: [[asked.to, []]] })],
  ['bytes for an access list', 'accessList', () => rebuilt(honest, (items) => (items[ACCESS_LIST] = Buffer.alloc(0)))],
  ['no recipient', 'to', () => signedBy(WALLET, { ...asked, type: 2, to: null })],
  ['a list for a recipient', 'to', () => rebuilt(honest, (items) => (items[TO] = []))],
  ['a nonce with a leading zero', 'nonce', () => rebuilt(honest, (items) => (items[1] = Buffer.of(0, asked.nonce)))],
  ['a third kind of parity', 'yParity', () => rebuilt(honest, (items) => (items[Y_PARITY] = Buffer.of(2)))],
  ['the parity of old signatures', 'yParity', () => rebuilt(honest, (items) => (items[Y_PARITY] = Buffer.of(27)))],
  ['the other parity', 'sender', () => rebuilt(honest, (items) => (items[Y_PARITY] = otherParity(items)))],
  ['no r', 'r', () => rebuilt(honest, (items) => (items[R] = Buffer.alloc(0)))],
  ['an r beyond the curve', 'r', () => rebuilt(honest, (items) => (items[R] = bytesOf(CURVE_ORDER)))],
  ['an r with a leading zero', 'r', () => rebuilt(honest, (items) => (items[R] = Buffer.alloc(32, 1).fill(0, 0, 1)))],
  ['an r of 33 bytes', 'r', () => rebuilt(honest, (items) => (items[R] = Buffer.alloc(33, 1)))],
  ['an r that no point has', 'sender', () => rebuilt(honest, (items) => (items[R] = Buffer.of(5)))],
  ['a list for s', 's', () => rebuilt(honest, (items) => (items[S] = []))],
  ['the upper s, which recovers the same sender', 's', () => rebuilt(honest, useUpperS)],
  [
    'the signature of somebody else',
    'sender',
    () => signedBy(new Wallet(bytesOf(7n).toString('hex')), { ...asked, type: 2 }),
  ],
  ['the hash of another', 'hash', () => ({ raw: honest.raw, hash: keccak256('0x02') })],
];

const BLOBS = { maxFeePerBlobGas: 1n, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] };

function gasPriced(chainId: bigint): TransactionLike {
  const { nonce, to, value, data, gasLimit } = asked;
  return { chainId, nonce, to, value, data, gasLimit, gasPrice: asked.maxFeePerGas };
}

function legacy(chainId: bigint): SignedEvmTransaction {
  return signedBy(WALLET, { ...gasPriced(chainId), type: 0 });
}

function authorization() {
  return WALLET.authorizeSync({ address: asked.to, nonce: 0, chainId: asked.chainId });
}

function otherParity(items: readonly RlpItem[]): Buffer {
  return numberAt(items, Y_PARITY) === 0n ? Buffer.of(1) : Buffer.alloc(0);
}

function useUpperS(items: RlpItem[]): void {
  items[S] = bytesOf(CURVE_ORDER - numberAt(items, S));
  items[Y_PARITY] = otherParity(items);
}

describe('signed bytes', () => {
  it('pass when they match any request in any spelling of the addresses', () => {
    fc.assert(
      fc.property(anyEvmTransaction, (transaction) => {
        const signed = signedBy(WALLET, { ...transaction, type: 2 });
        expect(complaint(signed, expecting(transaction))).toBeNull();
        expect(complaint(signed, { ...transaction, sender: WALLET.address.toLowerCase() })).toBeNull();
      }),
      { numRuns: 40 },
    );
  });

  it.each(MUTATIONS)('that differ in their %s alone are refused, and it is named [I-125]', (field, mutate) => {
    fc.assert(
      fc.property(anyEvmTransaction, byAnything, (transaction, by) => {
        const other = mutate(transaction, by);
        fc.pre(other.maxPriorityFeePerGas <= other.maxFeePerGas);
        const [signed, signedOther] = [transaction, other].map((each) => signedBy(WALLET, { ...each, type: 2 }));
        expect(complaint(signed!, expecting(other))).toBe(field);
        expect(complaint(signedOther!, expecting(transaction))).toBe(field);
      }),
      { numRuns: 15 },
    );
  });

  it.each(FORGERIES)('with %s are refused by their %s [I-125]', (_name, field, forge) => {
    expect(complaint(forge(), expecting(asked))).toBe(field);
  });

  it('with any single bit turned are refused [I-125]', () => {
    const bytes = Buffer.from(honest.raw.slice(2), 'hex');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const turned = Buffer.from(bytes);
        turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(complaint(withHash(`0x${turned.toString('hex')}`), expecting(asked))).not.toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it('for chain 0 are refused, even when requested [I-126]', () => {
    const everywhere = anEvmTransaction({ chainId: 0n });
    expect(complaint(signedBy(WALLET, { ...everywhere, type: 2 }), expecting(everywhere))).toBe('chainId');
  });

  it.each<[SignedField, Partial<EvmTransactionFields>]>([
    ['chainId', { chainId: -1n }],
    ['nonce', { nonce: NaN }],
    ['nonce', { nonce: 7.5 }],
    ['value', { value: -1n }],
    ['to', { to: '0x' }],
    ['to', { to: '' }],
    ['data', { data: 'a9059cbb' }],
    ['data', { data: '0xa9059cbb0' }],
  ])('never match a %s that cannot be [I-125]', (field, impossible) => {
    expect(complaint(honest, expecting({ ...asked, ...impossible }))).toBe(field);
    const created = signedBy(WALLET, { ...asked, type: 2, to: null });
    expect(complaint(created, expecting({ ...asked, to: '0x' }))).toBe('to');
  });

  it('are refused in a sentence that holds no value', () => {
    const other = expecting({ ...asked, value: asked.value + 1n });
    expect(() => checkSigned(honest, other)).toThrow(new SignedMismatch('value').message);
    expect(new SignedMismatch('value').message).not.toMatch(/\d/);
  });
});

interface AuthorizationTerms {
  readonly address: string;
  readonly nonce: number;
  readonly chainId: bigint;
}

describe('authorizations', () => {
  const DEPOSITS = [1n, 2n].map((key) => new Wallet(bytesOf(key).toString('hex')));
  const DELEGATE = `0x${'de'.repeat(20)}`;

  /** Signs an authorization by the library, with some fields changed. */
  const signedBySome = (wallet: Wallet, nonce: number, change: Partial<AuthorizationTerms> = {}) => {
    const terms = { address: DELEGATE, nonce, chainId: asked.chainId, ...change };
    const { yParity, r, s } = wallet.authorizeSync(terms).signature;
    return { delegate: terms.address, nonce: terms.nonce, yParity, r, s };
  };
  const wanted = DEPOSITS.map((wallet, nonce) => signedBySome(wallet, nonce));
  const expected = { ...expecting(asked), authorizations: wanted };

  const carrying = (change: Partial<AuthorizationTerms> = {}, signers = DEPOSITS) => {
    const authorizationList = signers.map((wallet, nonce) =>
      wallet.authorizeSync({ address: DELEGATE, nonce, chainId: asked.chainId, ...change }),
    );
    return signedBy(WALLET, { ...asked, type: 4, authorizationList });
  };

  it('in signed bytes pass when they are the checked ones', () => {
    expect(complaint(carrying(), expected)).toBeNull();
  });

  it.each<[string, () => SignedEvmTransaction]>([
    ['another delegate', () => carrying({ address: asked.to })],
    ['another nonce', () => carrying({ nonce: 1 })],
    ['every chain', () => carrying({ chainId: 0n })],
    ['another chain', () => carrying({ chainId: 1n })],
    ['somebody else', () => carrying({}, [WALLET, WALLET])],
    ['each other', () => carrying({}, DEPOSITS.toReversed())],
    ['one too few', () => carrying({}, DEPOSITS.slice(1))],
    ['one too many', () => carrying({}, [...DEPOSITS, WALLET])],
  ])('in signed bytes, of %s, are refused [I-126]', (_what, forge) => {
    expect(complaint(forge(), expected)).toBe('authorizations');
  });

  it('in signed bytes are required exactly when they were requested', () => {
    expect(complaint(honest, expected)).toBe('type');
    expect(complaint(carrying(), expecting(asked))).toBe('type');
  });

  const [owner] = DEPOSITS as [Wallet];
  const order = { chainId: asked.chainId, delegate: DELEGATE, nonce: 7, authority: owner.address };

  it('pass by themselves when each is for the delegate, the nonce and the chain, by the address itself', () => {
    expect(() => checkAuthorization(signedBySome(owner, 7), order)).not.toThrow();
  });

  it.each<[string, () => SignedEvmAuthorization]>([
    ['another delegate', () => signedBySome(owner, 7, { address: asked.to })],
    ['another delegate than it says', () => ({ ...signedBySome(owner, 7, { address: asked.to }), delegate: DELEGATE })],
    ['another nonce', () => signedBySome(owner, 8)],
    ['another nonce than it says', () => ({ ...signedBySome(owner, 8), nonce: 7 })],
    ['every chain', () => signedBySome(owner, 7, { chainId: 0n })],
    ['another chain', () => signedBySome(owner, 7, { chainId: 1n })],
    ['somebody else', () => signedBySome(WALLET, 7)],
    ['the other parity', () => ({ ...signedBySome(owner, 7), yParity: signedBySome(owner, 7).yParity === 0 ? 1 : 0 })],
  ])('of %s do not pass by themselves [I-126]', (_what, forge) => {
    expect(() => checkAuthorization(forge(), order)).toThrow(new SignedMismatch('authorizations'));
  });

  it('with the upper s, or for every chain, do not pass even when requested [I-126]', () => {
    const { s, ...signed } = signedBySome(owner, 7);
    const upper = `0x${(CURVE_ORDER - BigInt(s)).toString(16).padStart(64, '0')}`;
    expect(() => checkAuthorization({ ...signed, s: upper }, order)).toThrow(new SignedMismatch('s'));
    const everywhere = signedBySome(owner, 7, { chainId: 0n });
    expect(() => checkAuthorization(everywhere, { ...order, chainId: 0n })).toThrow(SignedMismatch);
  });
});
