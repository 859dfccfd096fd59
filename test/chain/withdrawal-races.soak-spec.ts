import { Wallet } from 'ethers';
import { z } from 'zod';
import { StuckTransactions } from '../../src/treasury/transactions/stuck-transactions.service.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { untilRead } from './watching.js';
import { newMerchant } from '../http/paying.js';
import { eventually } from '../support/eventually.js';
import { COIN, PayoutLab } from '../withdrawals/payout-lab.js';
import {
  CALM,
  frozenReason,
  holdBack,
  mineAlone,
  reorg,
  setBaseFee,
  spendNonce,
} from '../withdrawals/payout-weather.js';
import { type Attempt, type Payout, payoutOf, withdrawalEvents } from '../withdrawals/payouts.js';
import { withdraw } from '../withdrawals/withdrawals.js';

const GWEI = 10n ** 9n;
/** A base fee above the offer of any first attempt, and below the cap of the network. */
const SPIKE = 5n * GWEI;

let lab: PayoutLab;

beforeAll(async () => {
  lab = await PayoutLab.open({ TRANSACTION_STUCK_AFTER_MS: '1000', NONCE_UNEXPLAINED_AFTER_MS: '300' });
  await lab.fillHotWallet({ usdc: 100_000n * COIN, coins: 10n * COIN });
});
afterAll(() => lab.close());

beforeEach(() => setBaseFee(lab, CALM));
afterEach(async () => {
  lab.lie = null;
  await lab.mineByItself(true);
});

const newDestination = (): string => Wallet.createRandom().address;

/** A withdrawal whose first attempt waits in the node's pool, while the base fee is too high for it. */
async function stuck(): Promise<{ withdrawal: WithdrawalObject; first: Payout }> {
  await lab.mineByItself(false);
  const withdrawal = await lab.order(newDestination());
  const first = await lab.sent(withdrawal.id);
  await setBaseFee(lab, SPIKE);
  expect(await lab.arrivals(withdrawal.destination)).toEqual([]);
  return { withdrawal, first };
}

/** Waits until the node has taken a second attempt. */
async function replaced({ id }: WithdrawalObject): Promise<{ nonce: number; original: Attempt; replacement: Attempt }> {
  const { nonce, attempts } = await lab.sent(id, 2);
  const [original, replacement, ...more] = attempts;
  if (original === undefined || replacement === undefined || more.length > 0)
    throw new Error('There are two attempts.');
  return { nonce, original, replacement };
}

describe('a transaction that is stuck because the network demands higher fees', () => {
  it('is replaced under its nonce for 12.5 % more in both fields at least, and pays once [I-114]', async () => {
    const { withdrawal, first } = await stuck();
    const { nonce, original, replacement } = await replaced(withdrawal);
    expect({ nonce, original }).toEqual({ nonce: first.nonce, original: first.attempts[0] });
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(replacement[field] * 1000n).toBeGreaterThanOrEqual(original[field] * 1125n);
    }
    expect(original.maxFeePerGas).toBeLessThan(SPIKE / 2n);
    await lab.testnet.controls.mine();
    const completed = await lab.completed(withdrawal);
    expect(completed.tx_hash).toBe(replacement.txHash);
    await lab.expectPaidOnce(completed);
  });

  it('may be mined after all while its replacement is on the way: paid once, and the mined hash is shown [I-115]', async () => {
    const { withdrawal } = await stuck();
    const { original, replacement } = await replaced(withdrawal);
    // A block producer without the replacement includes the original.
    await mineAlone(lab, original, [original, replacement]);
    expect(await lab.get(withdrawal.id)).toMatchObject({ status: 'broadcasting', tx_hash: replacement.txHash });
    const completed = await lab.completed(withdrawal);
    expect(completed.tx_hash).toBe(original.txHash);
    await lab.expectPaidOnce(completed);
    expect(await withdrawalEvents(lab.world.database, withdrawal.id)).toEqual(['withdrawal.completed']);
  });

  it('ends as the version that a reorg left in the chain, though the node still shows the receipt of the other [I-115] [I-121]', async () => {
    const { withdrawal } = await stuck();
    const { original, replacement } = await replaced(withdrawal);
    await mineAlone(lab, replacement, [original, replacement]);
    await lab.testnet.controls.mine(3);
    await untilRead(lab.world, lab.testnet);
    expect(await lab.arrivals(withdrawal.destination)).toMatchObject([{ txHash: replacement.txHash }]);
    const stale = await lab.testnet.node.ask(z.unknown(), 'eth_getTransactionReceipt', replacement.txHash);
    lab.lie = ({ method, params }, truth) =>
      method === 'eth_getTransactionReceipt' && params[0] === replacement.txHash ? { result: stale } : truth;
    await reorg(lab, 4, original);
    expect(await lab.arrivals(withdrawal.destination)).toMatchObject([{ txHash: original.txHash }]);
    const completed = await lab.completed(withdrawal);
    expect(completed.tx_hash).toBe(original.txHash);
    await lab.expectPaidOnce(completed);
    expect(await withdrawalEvents(lab.world.database, withdrawal.id)).toEqual(['withdrawal.completed']);
  });
});

describe('a transaction that is mined and not final yet', () => {
  it('is not replaced, however long it takes and whatever fees the network demands by then [I-114]', async () => {
    const withdrawal = await lab.order(newDestination());
    await lab.arrived(withdrawal);
    await setBaseFee(lab, SPIKE);
    await lab.untilOld(withdrawal.id);
    for (let looks = 0; looks < 3; looks++) await lab.world.service.get(StuckTransactions).find();
    const completed = await lab.completed(withdrawal);
    expect((await lab.signed(withdrawal.id)).attempts).toHaveLength(1);
    await lab.expectPaidOnce(completed);
  });
});

describe("a stranger who has the hot wallet's key", () => {
  it('freezes the wallet: nothing more is signed, and no money is refunded [I-113]', async () => {
    const other = await newMerchant(lab.world);
    const [filled] = await lab.fillPockets([other]);
    await lab.mineByItself(false);
    const robbed = await lab.order(newDestination());
    const { nonce, attempts } = await lab.sent(robbed.id);
    await holdBack(lab.world.database);
    await lab.testnet.node.send('anvil_dropTransaction', attempts[0]?.txHash);
    await spendNonce(lab);
    await lab.makeFinal();
    const reason = `Nonce ${nonce} of the hot wallet was used by a transaction that is not ours.`;
    await eventually(
      () => frozenReason(lab),
      (seen) => seen === reason,
      30_000,
    );
    const { body: waiting } = await withdraw(other, filled?.pocket.id ?? '');
    await lab.waits(waiting.id, 'wallet_frozen');
    expect(await payoutOf(lab.world.database, waiting.id)).toBeNull();
    expect(await lab.get(robbed.id)).toMatchObject({ status: 'broadcasting' });
    expect((await lab.pocket()).held_cents).toBe(robbed.amount_cents + robbed.network_fee_cents);
    await lab.expectBooks();
  });
});
