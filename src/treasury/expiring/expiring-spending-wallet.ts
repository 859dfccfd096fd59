import type { EnergyLender } from '../../chains/expiring-energy.js';
import type { Staker } from '../../chains/expiring-stakes.js';
import type { ExpiringSweeper } from '../../chains/expiring-sweeps.js';
import type { ExpiringPayer, PaymentConditions } from '../../chains/expiring.js';
import { addressFamilyOf, NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { PaymentRefusal, WaitingReason } from '../../domain/outgoing-payment.js';
import type { SimulatedPayments } from '../simulation/simulated-payment.js';
import type { PromisedFunds } from '../transactions/payment-funds.js';
import type { SigningOffer, SigningOrder, SpendingWallet } from '../transactions/spending-wallet.js';
import type {
  EnergyOrder,
  FundingOrder,
  StakingOrder,
  SweepOrder,
  TransferOrder,
} from '../transactions/transaction-order.js';
import type { LockedWallet } from '../wallets/locked-wallet.js';
import { keptCoins, missingCoins, missingCost } from './expiring-funds.js';
import { expiringVersion } from './expiring-version.js';
import { plannedSweepOf, sweepTargetOf } from './ordered-sweep.js';
import type { TokenDecimals } from './token-decimals.js';

/** What decides on the payments and sweeps of a hot wallet whose transactions expire. */
export interface ExpiringRules {
  readonly payer: ExpiringPayer;
  readonly sweeper: ExpiringSweeper;
  readonly conditions: PaymentConditions;
  readonly funds: PromisedFunds;
  readonly simulations: SimulatedPayments;
  readonly decimals: TokenDecimals;
  /** What lends its energy, and how much stake that may be now; null where nothing is lent. */
  readonly energy: { readonly lender: EnergyLender; readonly lendable: bigint } | null;
  /** What stakes its coins, and what it must leave of them; null where nothing is staked. */
  readonly staking: { readonly staker: Staker; readonly reserve: bigint } | null;
}

/** A hot wallet whose transactions exclude no other, but expire. Its nonce counts them. */
export class ExpiringSpendingWallet implements SpendingWallet {
  private nextNonce: number;
  /** The stake of the loans that are signed together. */
  private promisedStake = 0n;

  constructor(
    readonly locked: LockedWallet,
    private readonly rules: ExpiringRules,
  ) {
    this.nextNonce = locked.nextNonce;
  }

  async offerFor({ order, ...terms }: SigningOrder): Promise<SigningOffer | WaitingReason | PaymentRefusal> {
    if (order.kind === 'call') throw new Error('There are no contracts to call on this chain.');
    if (order.kind === 'sweep') return this.offerForSweep(order);
    if (order.kind === 'energy') return this.offerForEnergy(order);
    if (order.kind === 'stake') return this.offerForStake(order);
    return order.kind === 'funding' ? this.offerForFunding(order) : this.offerForPayment({ ...terms, order });
  }

  private async offerForPayment({
    purposeId,
    strategy,
    order,
  }: SigningOrder & { readonly order: TransferOrder }): Promise<SigningOffer | WaitingReason | PaymentRefusal> {
    const { payer, sweeper, conditions, funds, simulations } = this.rules;
    const { token, amount, recipient: destination } = order;
    const sender = this.locked.addressKey;
    const payment = { sender, recipient: destination, token, amount, decimals: this.rules.decimals.of(token) };
    if (!payer.paysWhole(token, conditions)) return 'token_changed';
    const nonce = this.nextNonce;
    const planned = payer.plan(payment, strategy, nonce, conditions);
    const reserve = keptCoins(token, { payer, sweeper }, conditions);
    const missing = await missingCoins(payment, { costMax: planned.costMax, reserve }, funds);
    if (missing !== null) return missing;
    const refusal = simulations.refusalOf({ purposeId, order });
    if (refusal !== null) return refusal;
    return {
      accept: () => {
        this.nextNonce++;
        funds.promise(NATIVE_COIN, planned.costMax);
        funds.promise(token, amount);
        simulations.sign(order);
        return {
          sign: async (vault) => {
            const signed = await vault.signExpiring(
              this.locked.environment,
              [{ kind: 'hot_wallet' }],
              planned.unsigned,
            );
            payer.check(signed, planned, payment);
            return expiringVersion(signed, planned, { nonce, destination, value: token === NATIVE_COIN ? amount : 0n });
          },
        };
      },
    };
  }

  /** No simulation comes first: the address is our own, and refuses nothing. */
  private async offerForFunding(order: FundingOrder): Promise<SigningOffer | WaitingReason> {
    const { payer, sweeper, conditions, funds, decimals } = this.rules;
    const { amount, recipient, index } = order;
    if (amount > sweeper.highestCost(conditions)) {
      throw new Error('A funding is higher than what a sweep costs at most.');
    }
    const { environment, network, addressKey: sender } = this.locked;
    const payment = { sender, recipient, token: NATIVE_COIN, amount, decimals: decimals.of(NATIVE_COIN) };
    const nonce = this.nextNonce;
    const planned = payer.plan(payment, 'standard', nonce, conditions);
    const missing = await missingCost(
      { costMax: planned.costMax + amount, reserve: payer.leastCoin(conditions) },
      funds,
    );
    if (missing !== null) return missing;
    return {
      accept: () => {
        this.nextNonce++;
        funds.promise(NATIVE_COIN, planned.costMax + amount);
        return {
          sign: async (vault) => {
            const [derived] = await vault.deriveAddresses(environment, addressFamilyOf(network), index, 1);
            // A row could name an address of others, and no rule limits who gets fundings.
            if (derived?.addressKey !== recipient) throw new SignedMismatch('recipient');
            const signed = await vault.signExpiring(environment, [{ kind: 'hot_wallet' }], planned.unsigned);
            payer.check(signed, planned, payment);
            return expiringVersion(signed, planned, { nonce, destination: recipient, value: amount });
          },
        };
      },
    };
  }

  /** As a funding, the energy goes to an address of our own alone. What is taken back was lent, whatever the stake is now. */
  private async offerForEnergy({
    move: kind,
    stake,
    borrower,
    index,
  }: EnergyOrder): Promise<SigningOffer | WaitingReason> {
    const { energy, payer, conditions, funds } = this.rules;
    if (energy === null) throw new Error('No energy is lent on this chain.');
    const { environment, network, addressKey: owner } = this.locked;
    const move = { kind, owner, borrower, stake };
    const nonce = this.nextNonce;
    const planned = energy.lender.plan(move, nonce, conditions);
    if (kind === 'lend' && stake > energy.lendable - this.promisedStake) return 'energy_missing';
    const missing = await missingCost({ costMax: planned.costMax, reserve: payer.leastCoin(conditions) }, funds);
    if (missing !== null) return missing;
    return {
      accept: () => {
        this.nextNonce++;
        funds.promise(NATIVE_COIN, planned.costMax);
        if (kind === 'lend') this.promisedStake += stake;
        return {
          sign: async (vault) => {
            const [derived] = await vault.deriveAddresses(environment, addressFamilyOf(network), index, 1);
            if (derived?.addressKey !== borrower) throw new SignedMismatch('borrower');
            const signed = await vault.signExpiring(environment, [{ kind: 'hot_wallet' }], planned.unsigned);
            energy.lender.check(signed, planned, move);
            return expiringVersion(signed, planned, { nonce, destination: borrower, value: 0n });
          },
        };
      },
    };
  }

  /** Staked coins cannot be paid out: what is owed, and what fees need, stays in the wallet. */
  private async offerForStake({ move: kind, amount }: StakingOrder): Promise<SigningOffer | WaitingReason> {
    const { staking, payer, conditions, funds } = this.rules;
    if (staking === null) throw new Error('Nothing is staked on this chain.');
    const { environment, addressKey: owner } = this.locked;
    const move = { kind, owner, amount };
    const nonce = this.nextNonce;
    const planned = staking.staker.plan(move, nonce, conditions);
    const { costMax } = planned;
    const value = kind === 'stake' ? amount : 0n;
    const missing =
      kind === 'stake'
        ? await missingCoins({ token: NATIVE_COIN, amount }, { costMax, reserve: staking.reserve }, funds)
        : await missingCost({ costMax, reserve: payer.leastCoin(conditions) }, funds);
    if (missing !== null) return missing;
    return {
      accept: () => {
        this.nextNonce++;
        funds.promise(NATIVE_COIN, costMax + value);
        return {
          sign: async (vault) => {
            const signed = await vault.signExpiring(environment, [{ kind: 'hot_wallet' }], planned.unsigned);
            staking.staker.check(signed, planned, move);
            return expiringVersion(signed, planned, { nonce, destination: owner, value });
          },
        };
      },
    };
  }

  private async offerForSweep(order: SweepOrder): Promise<SigningOffer | WaitingReason> {
    const { payer, sweeper, conditions, funds } = this.rules;
    const isWhole = order.sources.every((source) =>
      source.funds.every(({ token }) => payer.paysWhole(token, conditions)),
    );
    if (!isWhole) return 'token_changed';
    const nonce = this.nextNonce;
    const hotWallet = this.locked.addressKey;
    const planned = plannedSweepOf(order, { sweeper, hotWallet, sequence: nonce, conditions });
    const isPaidByHotWallet = order.costMax === null;
    const { costMax } = planned;
    const missing = isPaidByHotWallet
      ? await missingCost({ costMax, reserve: payer.leastCoin(conditions) }, funds)
      : null;
    if (missing !== null) return missing;
    return {
      accept: () => {
        this.nextNonce++;
        if (isPaidByHotWallet) funds.promise(NATIVE_COIN, costMax);
        const deposits = order.sources.map(({ index }) => ({ kind: 'deposit', index }) as const);
        return {
          sign: async (vault) => {
            const signers = isPaidByHotWallet ? ([{ kind: 'hot_wallet' }, ...deposits] as const) : deposits;
            const signed = await vault.signExpiring(this.locked.environment, signers, planned.unsigned);
            sweeper.check(signed, planned, sweepTargetOf(order, hotWallet));
            const version = expiringVersion(signed, planned, { nonce, destination: hotWallet, value: 0n });
            const [first] = order.sources;
            return isPaidByHotWallet || first === undefined ? version : { ...version, sender: first.owner };
          },
        };
      },
    };
  }
}
