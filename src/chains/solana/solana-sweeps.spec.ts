import { changed, SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { PlannedSweep, SweepSource, SweptFunds, SweepTarget } from '../expiring-sweeps.js';
import { SolanaSweeper } from './solana-sweeper.js';
import { associatedTokenAccount } from './token-account.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { UnsignedMoves } from './unsigned-moves.js';

const RENT_OF_TOKEN_ACCOUNT = 1_488_440n;

const sweeper = new SolanaSweeper();
let lab: SolanaPayerLab;
let deposits: readonly string[];
let next = 0;
let sequence = 0;
beforeAll(async () => {
  lab = await SolanaPayerLab.open();
  deposits = (await lab.vault.deriveAddresses('sandbox', 'solana', 0, 100)).map((one) => one.address);
});
afterAll(() => lab.close());

const target = (missingAccounts: readonly string[] = []): SweepTarget => ({
  hotWallet: lab.hotWallet,
  missingAccounts,
});
const usdc = (amount: bigint, closesAccount = true): SweptFunds => {
  return { token: lab.mints.USDC, account: null, decimals: 6, amount, closesAccount };
};
const usdt = (amount: bigint, closesAccount = true): SweptFunds => ({
  ...usdc(amount, closesAccount),
  token: lab.mints.USDT,
});
const coin = (amount: bigint): SweptFunds => ({
  token: NATIVE_COIN,
  account: null,
  decimals: 9,
  amount,
  closesAccount: false,
});

/** Deposit addresses that hold exactly these funds. */
async function deposited(...funds: readonly (readonly SweptFunds[])[]): Promise<readonly SweepSource[]> {
  const sources = funds.map((some) => ({ owner: deposits[next++] ?? '', funds: some }));
  for (const source of sources) {
    for (const { token, amount } of source.funds) {
      const symbol = token === NATIVE_COIN ? null : token === lab.mints.USDC ? 'USDC' : 'USDT';
      await lab.lab.controls.fund({ owner: source.owner, token: symbol, amount });
    }
  }
  await lab.lab.controls.mine();
  await lab.lab.settle();
  return sources;
}

const planned = async (sources: readonly SweepSource[], to = target()): Promise<PlannedSweep<UnsignedMoves>> =>
  sweeper.plan(
    to,
    sources,
    { strategy: 'standard', sequence: sequence++, costMax: null },
    await lab.client.conditions(),
  );

async function signed(sweep: PlannedSweep<UnsignedMoves>, to = target()): Promise<SignedBytes> {
  const signers = sweep.sources.map(({ owner }) => ({ kind: 'deposit', index: deposits.indexOf(owner) }) as const);
  const bytes = await lab.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }, ...signers], sweep.unsigned);
  sweeper.check(bytes, sweep, to);
  return bytes;
}

/** Sends a sweep. Returns it as final, with the error of the chain. */
async function swept({ raw, txHash }: SignedBytes) {
  await lab.client.broadcastAll([raw]);
  await lab.lab.controls.mine();
  await lab.lab.settle();
  const [final] = await lab.client.finalTransactionsOf([txHash], lab.tokens);
  if (final === null || final === undefined) throw new Error('It is in a block.');
  const options = { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' };
  const { result } = await lab.lab.ask('getTransaction', txHash, options);
  return { final, err: (result as { meta: { err: unknown } }).meta.err };
}

const ownersOf = (sources: readonly SweepSource[]): readonly string[] => [
  lab.hotWallet,
  ...sources.map(({ owner }) => owner),
];

describe('a sweep', () => {
  it('brings tokens and coins of several addresses, and the rent of their accounts, at the cost of one fee', async () => {
    const sources = await deposited([usdc(5n), usdt(7n), coin(2_000_000n)], [usdc(11n)]);
    const before = await lab.balances(ownersOf(sources));
    const plan = await planned(sources);
    const { final, err } = await swept(await signed(plan));
    expect([err, final.succeeded, final.fee]).toEqual([null, true, plan.costMax]);
    const after = await lab.balances(ownersOf(sources));
    expect(changed(before, final.changes)).toEqual(after);
    const gained = (token: string): bigint =>
      (after.get(`${lab.hotWallet} ${token}`) ?? 0n) - (before.get(`${lab.hotWallet} ${token}`) ?? 0n);
    expect([gained(lab.mints.USDC), gained(lab.mints.USDT)]).toEqual([16n, 7n]);
    expect(gained(NATIVE_COIN)).toBe(2_000_000n + 3n * RENT_OF_TOKEN_ACCOUNT - final.fee);
    for (const { owner } of sources) {
      expect(lab.tokens.map((token) => after.get(`${owner} ${token}`))).toEqual([0n, 0n, 0n]);
      expect(await lab.client.needsAccount(owner, lab.mints.USDC)).toBe(true);
    }
  });

  it('may leave accounts open for later deposits', async () => {
    const [source] = await deposited([usdc(5n, false)]);
    const { final } = await swept(await signed(await planned([source!])));
    expect(final.changes.filter(({ owner }) => owner === source?.owner)).toEqual([
      { owner: source?.owner, token: lab.mints.USDC, units: -5n },
    ]);
    expect(await lab.client.needsAccount(source?.owner ?? '', lab.mints.USDC)).toBe(false);
    // An empty account may be closed afterwards.
    const { err } = await swept(await signed(await planned([{ owner: source?.owner ?? '', funds: [usdc(0n)] }])));
    expect(err).toBeNull();
    expect(await lab.client.needsAccount(source?.owner ?? '', lab.mints.USDC)).toBe(true);
  });

  it('is planned by what more addresses hold than one request can ask for', async () => {
    const [first, last] = await deposited([usdc(5n)], [coin(2_000_000n)]);
    const others = Array.from({ length: 120 }, (_, place) => ({
      owner: deposits[place % deposits.length] ?? '',
      token: lab.mints.USDT,
    }));
    const found = await lab.client.finalFundsAt(
      [
        { owner: first?.owner ?? '', token: lab.mints.USDC },
        ...others,
        { owner: last?.owner ?? '', token: NATIVE_COIN },
        { owner: last?.owner ?? '', token: lab.mints.USDC },
      ],
      0,
    );
    expect(found).toHaveLength(123);
    expect([found[0], ...found.slice(-2)]).toEqual([
      { units: 5n, hasAccount: true, isFrozenByIssuer: false },
      { units: 2_000_000n, hasAccount: true, isFrozenByIssuer: false },
      { units: 0n, hasAccount: false, isFrozenByIssuer: false },
    ]);
    await lab.lab.controls.freeze(await associatedTokenAccount(first?.owner ?? '', lab.mints.USDC));
    await lab.lab.controls.mine();
    await lab.lab.settle();
    const frozen = await lab.client.finalFundsAt([{ owner: first?.owner ?? '', token: lab.mints.USDC }], 0);
    expect(frozen).toEqual([{ units: 5n, hasAccount: true, isFrozenByIssuer: true }]);
  });

  it('takes as many addresses as fit, and says which', async () => {
    const fitting = async (funds: readonly SweptFunds[]): Promise<number> => {
      const sources = Array.from({ length: 20 }, (_, place) => ({ owner: deposits[place] ?? '', funds }));
      const plan = await planned(sources);
      expect(plan.sources).toEqual(sources.slice(0, plan.sources.length));
      expect(plan.costMax).toBeLessThanOrEqual(sweeper.highestCost(await lab.client.conditions()));
      return plan.sources.length;
    };
    expect(await fitting([usdc(1n, false)])).toBe(6);
    expect(await fitting([usdc(1n)])).toBe(6);
    expect(await fitting([coin(1n)])).toBe(8);
    expect(await fitting([usdc(1n), usdt(1n), coin(1n)])).toBe(3);
    const tooMuch = Array.from({ length: 40 }, () => usdc(1n));
    await expect(planned([{ owner: deposits[0] ?? '', funds: tooMuch }])).rejects.toThrow(RangeError);
  });

  it('of as many addresses as fit lands', async () => {
    const sources = await deposited(...Array.from({ length: 7 }, () => [usdc(3n)]));
    const plan = await planned(sources);
    expect(plan.sources).toHaveLength(6);
    const { final, err } = await swept(await signed(plan));
    expect([err, final.fee]).toEqual([null, plan.costMax]);
  });

  it('opens the accounts that the hot wallet has not got yet, once for each token', async () => {
    const sources = await deposited([usdc(1n)], [usdc(2n), usdt(3n)]);
    const to = target([lab.mints.USDC, lab.mints.USDT]);
    const plan = await planned(sources, to);
    const opened = plan.unsigned.moves.filter((move) => move.kind === 'token' && move.opensAccount);
    expect(opened.map((move) => move.kind === 'token' && move.amount)).toEqual([1n, 3n]);
    expect(plan.costMax).toBeGreaterThan(2n * RENT_OF_TOKEN_ACCOUNT);
    expect((await swept(await signed(plan, to))).err).toBeNull();
  });

  it('with one frozen account fails as a whole, and changes nothing but its fee', async () => {
    const sources = await deposited([usdc(5n)], [usdc(6n)]);
    await lab.lab.controls.freeze(await associatedTokenAccount(sources[1]?.owner ?? '', lab.mints.USDC));
    await lab.lab.settle();
    expect(await lab.client.isFrozenByIssuer(lab.mints.USDC, sources[1]?.owner ?? '')).toBe(true);
    const before = await lab.balances(ownersOf(sources));
    const { final, err } = await swept(await signed(await planned(sources)));
    // Limit, price, transfer, close: the second transfer is number 4.
    expect(err).toEqual({ InstructionError: [4, { Custom: 0x11 }] });
    expect(final.changes).toEqual([{ owner: lab.hotWallet, token: NATIVE_COIN, units: -final.fee }]);
    expect(changed(before, final.changes)).toEqual(await lab.balances(ownersOf(sources)));
    // Without it the other one lands.
    expect((await swept(await signed(await planned(sources.slice(0, 1))))).err).toBeNull();
  });

  it('that closes an account fails as a whole when a deposit arrives before it', async () => {
    const sources = await deposited([usdc(5n)], [usdc(6n)]);
    const sweep = await signed(await planned(sources));
    await lab.fund(sources[1]?.owner ?? '', 'USDC', 1n);
    const { final, err } = await swept(sweep);
    expect(err).toEqual({ InstructionError: [5, { Custom: 0xb }] });
    expect(final.changes).toEqual([{ owner: lab.hotWallet, token: NATIVE_COIN, units: -final.fee }]);
    // A transfer alone takes what was there.
    const open = sources.map(({ owner }, place) => ({ owner, funds: [usdc(place === 0 ? 5n : 6n, false)] }));
    expect((await swept(await signed(await planned(open)))).err).toBeNull();
    const { units } = await lab.client.finalBalancesOf(sources[1]?.owner ?? '', [lab.mints.USDC], 0);
    expect(units).toEqual([1n]);
  });

  it('of equal funds has another id each time', async () => {
    const sources = [{ owner: deposits[0] ?? '', funds: [usdc(1n)] }];
    const ids = [await signed(await planned(sources)), await signed(await planned(sources))].map((one) => one.txHash);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is refused when its plan is that of other funds or of another target [I-125]', async () => {
    const plan = await planned([{ owner: deposits[0] ?? '', funds: [usdc(5n)] }]);
    const bytes = await signed(plan);
    const check =
      (change: Partial<PlannedSweep<UnsignedMoves>>, to = target()) =>
      () =>
        sweeper.check(bytes, { ...plan, ...change }, to);
    const [source] = plan.sources;
    expect(check({})).not.toThrow();
    expect(check({ sources: [] })).toThrow(new SignedMismatch('moves'));
    expect(check({ sources: [{ owner: source?.owner ?? '', funds: [usdc(6n)] }] })).toThrow(
      new SignedMismatch('moves'),
    );
    expect(check({ sources: [{ owner: source?.owner ?? '', funds: [usdc(5n, false)] }] })).toThrow(
      new SignedMismatch('moves'),
    );
    expect(check({}, target([lab.mints.USDC]))).toThrow(new SignedMismatch('moves'));
    expect(check({}, { ...target(), hotWallet: deposits[1] ?? '' })).toThrow(new SignedMismatch('payer'));
    expect(check({ unsigned: { ...plan.unsigned, computeUnitLimit: 1 } })).toThrow(
      new SignedMismatch('computeUnitLimit'),
    );
    expect(check({ costMax: 1n })).toThrow(new SignedMismatch('costMax'));
  });
});
