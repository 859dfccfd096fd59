import { SolanaLab } from '../support/solana-lab.js';
import { SolanaSweepScene } from '../support/solana-sweep-scene.js';
import { query } from '../support/sql.js';
import { associatedTokenAccount } from '../../src/chains/solana/token-account.js';

// The cases beside those of `src/treasury/sweeps/expiring/expiring-sweeps.spec.ts`.

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;
const RENT = 1_488_440n;

let lab: SolanaLab;
let scene: SolanaSweepScene;
beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  scene = await SolanaSweepScene.open(lab);
});
afterEach(() => scene.close());

/** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
async function expectBooksInOrder(): Promise<void> {
  expect(await scene.compare()).toEqual([String(10n * SOL)]);
  expect(await scene.brokenRules()).toEqual([]);
}
const failures = async () =>
  (await scene.query<{ failures: number }>(`select failures from deposit_balance order by address_id`)).map(
    (balance) => balance.failures,
  );
const rents = () => scene.query<{ amount: string }>(`select amount from returned_rent order by amount`);
const usdcOf = async (owner: string) => (await scene.holds(owner))[0];
/** Freezes the USDC of an address, as their issuer does, in a block of its own. */
async function freeze(owner: string): Promise<void> {
  const { controls } = scene.scene.lab;
  await controls.freeze(await associatedTokenAccount(owner, scene.token('USDC')));
  await controls.mine();
}

describe('sweeps on Solana', () => {
  it('hide no equal payment of an open intent while they are not final', async () => {
    const { address } = await scene.intent('USDC');
    await scene.pay(address, 'USDC', 10n * DOLLAR);
    await scene.planned(address, 'USDC', 10n * DOLLAR);
    await scene.sign();
    await scene.send();
    const txHash = await scene.scene.fund({ owner: address, token: 'USDC', amount: 10n * DOLLAR });
    await scene.untilCredited(txHash);
    expect(await scene.sweeps()).toMatchObject([{ status: 'signed', swept: [null] }]);
    await scene.confirm();
    await expectBooksInOrder();
  });

  it('with an account that is frozen after they are planned hold up no other for long', async () => {
    const [frozen, other] = [await scene.paid('USDC', 25n * DOLLAR), await scene.paid('USDC', 25n * DOLLAR)];
    await scene.plan();
    await freeze(frozen.address);
    await scene.sign();
    await scene.send();
    expect(await scene.confirm()).toMatchObject([{ status: 'reverted', swept: ['0', '0'] }]);
    await scene.retry();
    const [, again, ...more] = await scene.sweep();
    expect([again?.status, more]).toEqual(['succeeded', []]);
    expect([await usdcOf(frozen.address), await usdcOf(other.address)]).toEqual([25n * DOLLAR, 0n]);
    expect(await failures()).toEqual([2, 0]);
    await expectBooksInOrder();
  });

  it('return rent once, by an account that they closed, and the audit notices rent that none returned', async () => {
    // The first of them pays for the account of the hot wallet.
    for (let paid = 0; paid < 2; paid++) await scene.paid('USDC', 25n * DOLLAR);
    await scene.sweep();
    expect(await rents()).toEqual([{ amount: String(RENT) }]);
    const other = await scene.intent('USDC');
    await scene.pay(other.address, 'USDC', 10n * DOLLAR);
    await scene.planned(other.address, 'USDC', 10n * DOLLAR);
    await scene.sign();
    await scene.send();
    const [closing, open] = await scene.confirm();
    const rentOf = (id: string | undefined) =>
      scene.query(
        `insert into returned_rent (sweep_id, chain_ref, amount, height)
        select purpose_id, chain_ref, 1, mined_height from chain_transaction where purpose_id = $1`,
        [id ?? ''],
      );
    await expect(rentOf(open?.id)).rejects.toThrow('closed no account');
    await expect(rentOf(closing?.id)).rejects.toThrow('returned_rent_pkey');
    await expectBooksInOrder();
    await scene.scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(
        tx,
        `insert into returned_rent (sweep_id, chain_ref, amount, height)
        select purpose_id, chain_ref, 1, mined_height from chain_transaction where purpose_id = $1`,
        [open?.id ?? ''],
      );
    });
    expect((await scene.brokenRules()).map((rule) => rule.split(':')[0])).toEqual([
      'returned_rent_is_booked',
      'stocktakings_add_up',
      'hot_wallet_holds_books',
    ]);
  });

  it('bring at once what a withdrawal waits for, of the largest balance, and close no account then', async () => {
    const [first, second] = [await scene.intent('USDC'), await scene.intent('USDC')];
    await scene.pay(first.address, 'USDC', 25n * DOLLAR);
    await scene.pay(second.address, 'USDC', 26n * DOLLAR);
    const payee = await scene.scene.lab.newWallet();
    await scene.order(payee.address);
    const [sweep, ...others] = await scene.sweep();
    expect(others).toEqual([]);
    expect(sweep).toMatchObject({ reason: 'withdrawal', status: 'succeeded', swept: [String(26n * DOLLAR)] });
    expect([await usdcOf(first.address), await usdcOf(second.address)]).toEqual([25n * DOLLAR, 0n]);
    expect(await scene.client.needsAccount(second.address, scene.token('USDC'))).toBe(false);
    // The hot wallet has enough now.
    expect(await scene.plan()).toEqual([]);
    await expectBooksInOrder();
  });

  it('leave an account open that more payments are expected on, and book what opening one of the hot wallet cost', async () => {
    const { address } = await scene.intent('USDC');
    await scene.pay(address, 'USDC', 10n * DOLLAR);
    await scene.planned(address, 'USDC', 10n * DOLLAR);
    await scene.sign();
    await scene.send();
    expect(await scene.confirm()).toMatchObject([{ status: 'succeeded', swept: [String(10n * DOLLAR)] }]);
    expect(await scene.client.needsAccount(address, scene.token('USDC'))).toBe(false);
    expect(await rents()).toEqual([]);
    const [sent] = await scene.query<{ fee_paid: string }>(`select fee_paid from chain_transaction`);
    expect(BigInt(sent?.fee_paid ?? 0)).toBeGreaterThan(RENT);
    await expectBooksInOrder();
  });

  it('hide no equal payment that arrives before the listener looks again', async () => {
    const { address } = await scene.paid('USDC', 25n * DOLLAR);
    await scene.plan();
    await scene.sign();
    await scene.scene.stopListening();
    await scene.send();
    const txHash = await scene.scene.fund({ owner: address, token: 'USDC', amount: 25n * DOLLAR });
    scene.scene.listen();
    expect(await scene.confirm()).toMatchObject([{ status: 'succeeded' }]);
    await scene.untilCredited(txHash);
    expect(await scene.scene.deposits()).toMatchObject([
      { status: 'confirmed' },
      { status: 'confirmed', tx_hash: txHash },
    ]);
    await expectBooksInOrder();
  });

  it('leave out an account that its issuer has frozen', async () => {
    const [frozen, other] = [await scene.paid('USDC', 25n * DOLLAR), await scene.paid('USDC', 25n * DOLLAR)];
    await freeze(frozen.address);
    await scene.scene.lab.settle();
    expect(await scene.sweep()).toMatchObject([{ status: 'succeeded', swept: [String(25n * DOLLAR)] }]);
    expect([await usdcOf(frozen.address), await usdcOf(other.address)]).toEqual([25n * DOLLAR, 0n]);
    expect(await failures()).toEqual([1, 0]);
    await expectBooksInOrder();
  });
});
