import { z } from 'zod';
import { readVectors } from '../../../test/support/vectors.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { type TransactionAnswer, transactionShape } from './rpc-shapes.js';
import { transfersOf } from './transaction-transfers.js';

const { transactions } = readVectors(
  'solana-transactions',
  z.object({ transactions: z.array(z.object({ answer: transactionShape })) }),
);

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const FEE = 5_000;

interface Holding {
  readonly at: number;
  readonly amount: string;
  readonly owner?: string;
  readonly mint?: string;
  readonly programId?: string;
}

const holdings = (of: readonly Holding[]) =>
  of.map(({ at, amount, owner, mint = USDC, programId }) => ({
    accountIndex: at,
    mint,
    owner,
    programId,
    uiTokenAmount: { amount },
  }));

/** A transaction over the accounts `a`, `b`, `c`, `d`, of which the first pays the fee. */
function answer(change: {
  readonly tokens?: { readonly before: readonly Holding[]; readonly after: readonly Holding[] };
  readonly coins?: readonly (readonly [before: number | bigint, after: number | bigint])[];
  readonly err?: unknown;
}): TransactionAnswer {
  const coins: (readonly [number | bigint, number | bigint])[] = [...(change.coins ?? [[FEE, 0] as const])];
  while (coins.length < 4) coins.push([0, 0]);
  return {
    slot: 1,
    transaction: { message: { accountKeys: ['a', 'b'] }, signatures: ['s'] },
    meta: {
      err: change.err ?? null,
      fee: BigInt(FEE),
      preBalances: coins.map(([before]) => BigInt(before)),
      postBalances: coins.map(([, after]) => BigInt(after)),
      preTokenBalances: holdings(change.tokens?.before ?? []),
      postTokenBalances: holdings(change.tokens?.after ?? []),
      loadedAddresses: { writable: ['c'], readonly: ['d'] },
    },
  };
}

const inUsdc = (before: readonly Holding[], after: readonly Holding[]) =>
  transfersOf(answer({ tokens: { before, after } }), [USDC]);

describe('the transfers of a transaction', () => {
  it('are read from recorded transactions: what each account received, and who lost', () => {
    const [versioned, ...failed] = transactions.map((recorded) => recorded.answer);
    const found = (versioned && transfersOf(versioned, [USDC, USDT])) ?? [];
    expect(found.map(({ token, position, amount }) => [token, position, amount])).toEqual([
      [USDC, 11, 11_594n],
      [USDC, 18, 11_143n],
      [USDC, 21, 22_364_264n],
      [USDC, 29, 53_517n],
      [USDT, 15, 11_149n],
    ]);
    expect(found[0]?.senders).toEqual([
      'HaNqpJUQeH2t6SB3tDJAtKV52fJM9rV1mGZrRrqMRZo1',
      'JARehRjGUkkEShpjzfuV4ERJS25j8XhamL776FAktNGm',
    ]);
    // Accounts from a lookup table follow those of the transaction itself.
    expect(found[0]?.account).toBe(versioned?.meta.loadedAddresses?.writable[5]);
    expect(failed).toHaveLength(3);
    for (const transaction of failed) expect(transfersOf(transaction, [USDC, USDT])).toEqual([]);
  });

  it('count an account that was created in the transaction, whose balance before is missing', () => {
    const found = inUsdc(
      [{ at: 1, amount: '9', owner: 'x' }],
      [
        { at: 1, amount: '2', owner: 'x' },
        { at: 2, amount: '7', owner: 'y' },
      ],
    );
    expect(found).toEqual([{ account: 'c', owner: 'y', position: 2, token: USDC, amount: 7n, senders: ['x'] }]);
  });

  it('name the owner of an account that was closed as a sender', () => {
    const found = inUsdc(
      [
        { at: 1, amount: '7', owner: 'x' },
        { at: 2, amount: '1', owner: 'y' },
      ],
      [{ at: 2, amount: '8', owner: 'y' }],
    );
    expect(found).toEqual([{ account: 'c', owner: 'y', position: 2, token: USDC, amount: 7n, senders: ['x'] }]);
  });

  it('of one owner between its own accounts have no sender', () => {
    const found = inUsdc(
      [{ at: 1, amount: '7', owner: 'x' }],
      [
        { at: 1, amount: '0', owner: 'x' },
        { at: 2, amount: '7', owner: 'x' },
      ],
    );
    expect(found).toEqual([{ account: 'c', owner: 'x', position: 2, token: USDC, amount: 7n, senders: [] }]);
  });

  it('name every sender, the largest loss first', () => {
    const before = [
      { at: 0, amount: '5', owner: 'x' },
      { at: 1, amount: '6', owner: 'y' },
    ];
    const after = [
      { at: 0, amount: '3', owner: 'x' },
      { at: 1, amount: '0', owner: 'y' },
      { at: 3, amount: '8', owner: 'z' },
    ];
    expect(inUsdc(before, after)).toEqual([
      { account: 'd', owner: 'z', position: 3, token: USDC, amount: 8n, senders: ['y', 'x'] },
    ]);
  });

  it('name who held the tokens before, when an account changes hands in the transaction', () => {
    const found = inUsdc(
      [{ at: 1, amount: '7', owner: 'listed' }],
      [
        { at: 1, amount: '0', owner: 'mule' },
        { at: 2, amount: '7', owner: 'us' },
      ],
    );
    expect(found?.[0]?.senders).toEqual(['listed']);
  });

  it('pay all that an account holds to its new owner, when it changes hands in the transaction', () => {
    const found = inUsdc([{ at: 1, amount: '7', owner: 'x' }], [{ at: 1, amount: '9', owner: 'us' }]);
    expect(found).toMatchObject([{ account: 'b', owner: 'us', amount: 9n, senders: ['x'] }]);
  });

  it('of coins name the owner of a token account that was closed, and not the account', () => {
    const coins = [
      [FEE, 0],
      [700, 0],
      [0, 700],
    ] as const;
    const wrapped = { at: 1, amount: '700', owner: 'listed', mint: 'So11111111111111111111111111111111111111112' };
    const found = transfersOf(answer({ coins, tokens: { before: [wrapped], after: [] } }), []);
    expect(found?.[0]).toMatchObject({ amount: 700n, senders: ['listed'] });
  });

  it('leave out tokens that are not listed, and tokens of another program under a listed mint', () => {
    expect(inUsdc([], [{ at: 1, amount: '5', owner: 'x', mint: USDT }])).toEqual([]);
    expect(inUsdc([], [{ at: 1, amount: '5', owner: 'x', programId: TOKEN_2022 }])).toEqual([]);
  });

  it('of a failed transaction do not exist', () => {
    const tokens = { before: [], after: [{ at: 1, amount: '5', owner: 'x' }] };
    expect(transfersOf(answer({ tokens, err: { InstructionError: [0, 'Custom'] } }), [USDC])).toEqual([]);
  });

  it('of coins leave out the fee: who only paid for the transaction is no sender', () => {
    const coins = [
      [2 * FEE, FEE],
      [700, 0],
      [0, 700],
    ] as const;
    expect(transfersOf(answer({ coins }), [])).toEqual([
      { account: 'c', owner: 'c', position: 2, token: NATIVE_COIN, amount: 700n, senders: ['b'] },
    ]);
    const paying = [
      [FEE + 700, 0],
      [0, 0],
      [0, 700],
    ] as const;
    expect(transfersOf(answer({ coins: paying }), [])?.[0]?.senders).toEqual(['a']);
  });

  it('of more coins than a number holds exactly are exact', () => {
    const huge = 2n ** 53n + 1n;
    const coins = [
      [huge + BigInt(FEE), huge - 702n],
      [huge, huge + 1n],
      [0n, 701n],
    ] as const;
    expect(transfersOf(answer({ coins }), [])).toEqual([
      { account: 'b', owner: 'b', position: 1, token: NATIVE_COIN, amount: 1n, senders: ['a'] },
      { account: 'c', owner: 'c', position: 2, token: NATIVE_COIN, amount: 701n, senders: ['a'] },
    ]);
  });

  it('are unknown when the balances are of other accounts', () => {
    expect(inUsdc([], [{ at: 9, amount: '5', owner: 'x' }])).toBeNull();
    const { meta, ...rest } = answer({});
    expect(transfersOf({ ...rest, meta: { ...meta, postBalances: [] } }, [])).toBeNull();
    expect(transfersOf({ ...rest, meta: { ...meta, loadedAddresses: null } }, [])).toBeNull();
  });
});
