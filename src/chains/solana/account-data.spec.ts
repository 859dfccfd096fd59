import { z } from 'zod';
import { readVectors } from '../../../test/support/vectors.js';
import { base58 } from '@scure/base';
import {
  BALANCE_SLICE,
  decimalsOfMint,
  holdingOf,
  lamportsOf,
  OWNED_SLICE,
  ownedUnitsOf,
  tokenUnitsOf,
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

  it('holds the balance for its owner alone', () => {
    for (const one of ofKind('account').filter(({ program }) => program === TOKEN_PROGRAM)) {
      const bytes = bytesOf(one).subarray(OWNED_SLICE.offset, OWNED_SLICE.offset + OWNED_SLICE.length);
      const owner = base58.encode(bytes.subarray(0, 32));
      expect(String(ownedUnitsOf(accountWith(one, bytes), owner))).toBe(one.decoded.amount);
      expect(String(ownedUnitsOf(accountWith(one, bytes), undefined))).toBe(one.decoded.amount);
      expect(ownedUnitsOf(accountWith(one, bytes), TOKEN_PROGRAM)).toBe(0n);
    }
    expect(ownedUnitsOf(null, TOKEN_PROGRAM)).toBe(0n);
  });

  it('says who else may act on a token account', () => {
    const [one] = ofKind('account').filter(({ program }) => program === TOKEN_PROGRAM);
    if (one === undefined) throw new Error('There is a token account.');
    const obstacleWith = (change: (bytes: Buffer) => void) => {
      const bytes = Buffer.from(bytesOf(one).subarray(0, 165));
      bytes.fill(0, 72, 108);
      bytes.fill(0, 129);
      bytes[108] = 1;
      change(bytes);
      return holdingOf(accountWith(one, bytes)).obstacle;
    };
    expect(obstacleWith(() => undefined)).toBeNull();
    expect(obstacleWith((bytes) => bytes.writeUInt8(2, 108))).toBe('frozen');
    expect(obstacleWith((bytes) => bytes.writeUInt32LE(1, 72))).toBe('delegated');
    expect(obstacleWith((bytes) => bytes.writeUInt32LE(1, 129))).toBe('foreign_close_authority');
    expect(() => holdingOf(sliced(one))).toThrow('8 bytes of an account instead of 165');
  });

  it('is no mint in a token account, and nothing where there is no account', () => {
    for (const one of ofKind('account')) expect(decimalsOfMint(whole(one))).toBeNull();
    expect(decimalsOfMint(null)).toBeNull();
    expect(tokenUnitsOf(null)).toBe(0n);
    expect(lamportsOf(null)).toBe(0n);
  });
});
