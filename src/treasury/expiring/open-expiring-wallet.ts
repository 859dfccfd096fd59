import { energyLenderOf, expiringPayerOf, expiringSweeperOf, stakerOf } from '../../chains/registry.js';
import type { PaymentConditions } from '../../chains/expiring.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import type { Tx } from '../../platform/database/database.js';
import { SimulatedPayments } from '../simulation/simulated-payment.js';
import type { PromisedFunds } from '../transactions/payment-funds.js';
import { lendableStake } from '../sweeps/energy/lendable-stake.js';
import type { SigningOrder } from '../transactions/spending-wallet.js';
import type { TransactionPurpose } from '../transactions/transaction-order.js';
import type { LockedWallet } from '../wallets/locked-wallet.js';
import { type ExpiringRules, ExpiringSpendingWallet } from './expiring-spending-wallet.js';
import { stakingReserve } from '../stakes/staking-reserve.js';
import { currentConditions } from './payment-conditions.js';
import { simulatedPlan } from './simulated-plan.js';
import { TokenDecimals } from './token-decimals.js';

/** Orders of one purpose that a locked wallet is asked to sign, and its funds. */
interface AskedOrders {
  readonly purpose: TransactionPurpose;
  readonly orders: readonly SigningOrder[];
  readonly funds: PromisedFunds;
}

/** Returns a locked wallet with everything that decides on these orders; or why nothing is signed there. */
export async function openExpiringWallet(
  tx: Tx,
  wallet: LockedWallet,
  { purpose, orders, funds }: AskedOrders,
): Promise<ExpiringSpendingWallet | WaitingReason> {
  const { chainRef, addressKey: sender } = wallet;
  const payer = expiringPayerOf(wallet.network);
  const current = await currentConditions(tx, chainRef, payer.signableForSeconds);
  if (current === null) return 'no_fresh_fees';
  const decimals = await TokenDecimals.read(tx, chainRef);
  const payments = orders.flatMap(({ purposeId, order, strategy }) => {
    if (order.kind !== 'transfer') return [];
    const payment = { ...order, sender, decimals: decimals.of(order.token) };
    return [{ purposeId, order, gasLimit: simulatedPlan(payer, payment, strategy, current.details).gasLimit }];
  });
  return new ExpiringSpendingWallet(wallet, {
    payer,
    sweeper: expiringSweeperOf(wallet.network),
    conditions: current.details,
    funds,
    simulations: await SimulatedPayments.read(tx, { purpose, chainRef, sender }, payments),
    decimals,
    energy: orders.some(({ order }) => order.kind === 'energy') ? await energyOf(tx, wallet, current.details) : null,
    staking: orders.some(({ order }) => order.kind === 'stake') ? await stakingOf(tx, wallet, current.details) : null,
  });
}

/** Loans that are signed and not in the stake as it was read take from it. The caller has locked the wallet. */
async function energyOf(
  tx: Tx,
  { chainRef, network }: LockedWallet,
  at: PaymentConditions,
): Promise<ExpiringRules['energy']> {
  const lender = energyLenderOf(network);
  if (lender === null) return null;
  const lendable = await lendableStake(tx, chainRef, lender.lendable(at), { withUnsigned: false });
  return { lender, lendable };
}

async function stakingOf(tx: Tx, wallet: LockedWallet, at: PaymentConditions): Promise<ExpiringRules['staking']> {
  const staker = stakerOf(wallet.network);
  if (staker === null) return null;
  const { forPayouts, forFees } = await stakingReserve(tx, wallet, at);
  return { staker, reserve: forPayouts + forFees };
}
