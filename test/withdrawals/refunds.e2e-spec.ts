import { Wallet } from 'ethers';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { COIN, type PayoutLab } from './payout-lab.js';
import { RefundLab, UNITS } from './refund-lab.js';
import { sweepsOf } from './sweeps.js';

const WITHIN_MS = 45_000;

let refunds: RefundLab;
let lab: PayoutLab;

beforeAll(async () => {
  refunds = await RefundLab.open({ SWEEP_FEE_SHARE_BPS: '100' });
  lab = refunds.payouts;
});
afterAll(() => refunds.close());

// A refund that fails: `refunds.soak-spec.ts`.
it('an unattributed deposit is swept and paid out whole and once, and the books are in order [G-97] [I-108]', async () => {
  const { database } = lab.world;
  const depositId = await refunds.anUnattributedDeposit();
  const destination = Wallet.createRandom().address;
  const id = await refunds.ordered(depositId, destination);
  // The hot wallet is empty: the refund waits, and triggers a sweep like a withdrawal.
  await eventually(
    async () => (await refunds.coffer('refunds', 'show', id)).out,
    (seen) => seen.includes('coins_missing'),
    WITHIN_MS,
  );
  await lab.fillHotWallet({ coins: 10n * COIN });
  const txHash = await refunds.paid(id);
  expect(await lab.arrivals(destination)).toEqual([{ txHash, amount: UNITS }]);
  const [sweep] = await sweepsOf(database);
  expect(sweep).toMatchObject({ reason: 'withdrawal', status: 'succeeded' });
  const gas = await refunds.gasOf(id);
  expect(gas.paid).toBeGreaterThan(0n);
  expect(gas.booked).toBe(gas.paid);
  expect((await refunds.coffer('refunds', 'show', depositId)).out).toMatch(/Status +completed/);
  // No merchant gets an event.
  expect(await query(database, `select from event where resource_id in ($1, $2)`, [id, depositId])).toEqual([]);
  await refunds.expectVerified();
});
