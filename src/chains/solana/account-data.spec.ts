import { z } from 'zod';
import { readVectors } from '../../../test/support/vectors.js';
import { BALANCE_SLICE, decimalsOfMint, lamportsOf, tokenUnitsOf } from './account-data.js';
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

  it('is no mint in a token account, and nothing where there is no account', () => {
    for (const one of ofKind('account')) expect(decimalsOfMint(whole(one))).toBeNull();
    expect(decimalsOfMint(null)).toBeNull();
    expect(tokenUnitsOf(null)).toBe(0n);
    expect(lamportsOf(null)).toBe(0n);
  });
});
