import { z } from 'zod';
import { readVectors } from '../../../test/support/vectors.js';
import {
  BALANCE_SLICE,
  creditedFundsOf,
  decimalsOfMint,
  holdingOf,
  lamportsOf,
  tokenUnitsOf,
  wholeFundsOf,
} from './account-data.js';
import { TOKEN_PROGRAM } from './programs.js';

const layout = z.object({
  kind: z.enum(['mint', 'account']),
  program: z.string(),
  lamports: z.int(),
  data_base64: z.string(),
  decoded: z.object({ amount: z.string().optional(), decimals: z.int().optional() }),
});
type Layout = z.infer<typeof layout>;
const { layouts } = readVectors('solana-token-layouts', z.object({ layouts: z.array(layout) }));

const { offset, length } = BALANCE_SLICE;
const accountWith = ({ program, lamports }: Layout, bytes: Buffer) => ({
  lamports,
  owner: program,
  data: [bytes.toString('base64'), 'base64'] as const,
});
const bytesOf = ({ data_base64: data }: Layout): Buffer => Buffer.from(data, 'base64');
const whole = (of: Layout) => accountWith(of, bytesOf(of));
const sliced = (of: Layout) => accountWith(of, bytesOf(of).subarray(offset, offset + length));
/** The whole data of a token account on which no key but its owner's may act. */
function ordinary(of: Layout): Buffer {
  const bytes = Buffer.from(bytesOf(of).subarray(0, 165));
  bytes.fill(0, 72, 108);
  bytes.fill(0, 129);
  bytes[108] = 1;
  return bytes;
}
const REPLACED = { units: 0n, obstacle: 'replaced' };
const ofKind = (kind: Layout['kind']): Layout[] => layouts.filter((one) => one.kind === kind);

describe('the data of an account', () => {
  it('holds the balance of a token account, in smallest units', () => {
    const accounts = ofKind('account').filter(({ program }) => program === TOKEN_PROGRAM);
    expect(accounts.length).toBeGreaterThan(0);
    for (const one of accounts) expect(String(tokenUnitsOf(sliced(one)))).toBe(one.decoded.amount);
  });

  it('holds the decimals of a mint', () => {
    const mints = ofKind('mint').filter(({ program }) => program === TOKEN_PROGRAM);
    expect(mints.length).toBeGreaterThan(0);
    for (const one of mints) expect(decimalsOfMint(whole(one))).toBe(one.decoded.decimals);
  });

  it('is no balance and no mint where another program owns the account', () => {
    for (const one of layouts) {
      const foreign = { ...one, program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' };
      expect(tokenUnitsOf(sliced(foreign))).toBe(0n);
      expect(decimalsOfMint(whole(foreign))).toBeNull();
    }
  });

  it('holds the balance for its owner and its token alone', () => {
    for (const one of ofKind('account').filter(({ program }) => program === TOKEN_PROGRAM)) {
      const stored = accountWith(one, ordinary(one));
      const { owner = '', token = '', units = -1n } = holdingOf(stored) ?? {};
      expect(String(units)).toBe(one.decoded.amount);
      expect(creditedFundsOf(stored, { owner, token })).toEqual({ units, obstacle: null });
      expect(creditedFundsOf(stored, { owner: TOKEN_PROGRAM, token })).toEqual(REPLACED);
      expect(creditedFundsOf(stored, { owner, token: TOKEN_PROGRAM })).toEqual(REPLACED);
      expect(creditedFundsOf({ ...stored, owner: owner }, { owner, token })).toEqual(REPLACED);
      expect(creditedFundsOf(null, { owner, token })).toEqual({ units: 0n, obstacle: null });
      expect(wholeFundsOf(stored, { owner, token })).toEqual({ units, hasAccount: true, isFrozenByIssuer: false });
      expect(wholeFundsOf(stored, { owner: token, token: owner })).toMatchObject({ units: 0n, obstacle: 'replaced' });
    }
  });

  it('is no token account in another size, or before it is initialized', () => {
    const [one] = ofKind('account').filter(({ program }) => program === TOKEN_PROGRAM);
    if (one === undefined) throw new Error('There is a token account.');
    const bytes = ordinary(one);
    expect(holdingOf(accountWith(one, bytes))).not.toBeNull();
    expect(holdingOf(accountWith(one, bytes.subarray(0, 164)))).toBeNull();
    expect(holdingOf(accountWith(one, Buffer.concat([bytes, Buffer.alloc(1)])))).toBeNull();
    bytes.writeUInt8(0, 108);
    expect(holdingOf(accountWith(one, bytes))).toBeNull();
  });

  it('says who else may act on a token account', () => {
    const [one] = ofKind('account').filter(({ program }) => program === TOKEN_PROGRAM);
    if (one === undefined) throw new Error('There is a token account.');
    const obstacleWith = (change: (bytes: Buffer) => void) => {
      const bytes = ordinary(one);
      change(bytes);
      return holdingOf(accountWith(one, bytes))?.obstacle;
    };
    const delegate = (units: bigint) => (bytes: Buffer) => {
      bytes.writeUInt32LE(1, 72);
      bytes.writeBigUInt64LE(units, 121);
    };
    const closer = (key: (bytes: Buffer) => Buffer) => (bytes: Buffer) => {
      bytes.writeUInt32LE(1, 129);
      key(bytes).copy(bytes, 133);
    };
    expect(obstacleWith(() => undefined)).toBeNull();
    expect(obstacleWith((bytes) => bytes.writeUInt8(2, 108))).toBe('frozen');
    expect(obstacleWith(delegate(1n))).toBe('delegated');
    expect(obstacleWith(delegate(0n))).toBeNull();
    expect(obstacleWith(closer(() => Buffer.alloc(32, 7)))).toBe('foreign_close_authority');
    expect(obstacleWith(closer((bytes) => bytes.subarray(32, 64)))).toBeNull();
  });

  it('is no mint in a token account, and nothing where there is no account', () => {
    for (const one of ofKind('account')) expect(decimalsOfMint(whole(one))).toBeNull();
    expect(decimalsOfMint(null)).toBeNull();
    expect(tokenUnitsOf(null)).toBe(0n);
    expect(lamportsOf(null)).toBe(0n);
  });
});
