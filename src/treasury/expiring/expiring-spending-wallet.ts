import type { ExpiringPayer, ExpiringPayment, PaymentConditions, PlannedPayment } from '../../chains/expiring.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { PaymentRefusal, WaitingReason } from '../../domain/outgoing-payment.js';
import type { Vault } from '../../vault/vault.js';
import type { SimulatedPayments } from '../simulation/simulated-payment.js';
import type { PromisedFunds } from '../transactions/payment-funds.js';
import type { SignableTransaction, SignedVersion } from '../transactions/signable-transaction.js';
import type { SigningOffer, SigningOrder, SpendingWallet } from '../transactions/spending-wallet.js';
import type { LockedWallet } from '../wallets/locked-wallet.js';
import { missingCoins } from './expiring-funds.js';
import type { TokenDecimals } from './token-decimals.js';

/** What decides on the payments of a hot wallet whose transactions expire. */
export interface ExpiringRules {
  readonly payer: ExpiringPayer;
  readonly conditions: PaymentConditions;
  readonly funds: PromisedFunds;
  readonly simulations: SimulatedPayments;
  readonly decimals: TokenDecimals;
}

/** A hot wallet whose transactions exclude no other, but expire. Its nonce counts them. */
export class ExpiringSpendingWallet implements SpendingWallet {
  private nextNonce: number;

  constructor(
    readonly locked: LockedWallet,
    private readonly rules: ExpiringRules,
  ) {
    this.nextNonce = locked.nextNonce;
  }

  async offerFor({ purposeId, strategy, order }: SigningOrder): Promise<SigningOffer | WaitingReason | PaymentRefusal> {
    if (order.kind === 'call') throw new Error('There are no contracts to call on this chain.');
    const { payer, conditions, funds, simulations } = this.rules;
    const { token, amount, recipient } = order;
    const payment = {
      sender: this.locked.addressKey,
      recipient,
      token,
      amount,
      decimals: this.rules.decimals.of(token),
    };
    const planned = payer.plan(payment, strategy, this.nextNonce, conditions);
    const reserve = payer.leastCoin(conditions);
    const missing = await missingCoins(payment, { costMax: planned.costMax, reserve }, funds);
    if (missing !== null) return missing;
    const refusal = simulations.refusalOf({ purposeId, order });
    if (refusal !== null) return refusal;
    const nonce = this.nextNonce;
    return {
      accept: () => {
        this.nextNonce++;
        funds.promise(NATIVE_COIN, planned.costMax);
        funds.promise(token, amount);
        simulations.sign(order);
        return this.signable(payment, planned, nonce);
      },
    };
  }

  private signable(payment: ExpiringPayment, planned: PlannedPayment, nonce: number): SignableTransaction {
    return { sign: (vault) => this.sign(vault, payment, planned, nonce) };
  }

  private async sign(
    vault: Vault,
    payment: ExpiringPayment,
    planned: PlannedPayment,
    nonce: number,
  ): Promise<SignedVersion> {
    const { unsigned, expiry, costMax } = planned;
    const signed = await vault.signMoves(this.locked.environment, [{ kind: 'hot_wallet' }], unsigned);
    this.rules.payer.check(signed, planned, payment);
    const { computeUnitLimit, computeUnitPrice } = unsigned;
    return {
      ...signed,
      fields: JSON.stringify(unsigned, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      nonce,
      destination: payment.recipient,
      value: payment.token === NATIVE_COIN ? payment.amount : 0n,
      data: '',
      gasLimit: BigInt(computeUnitLimit),
      maxFeePerGas: computeUnitPrice,
      maxPriorityFeePerGas: computeUnitPrice,
      expiry: { afterHeight: expiry.after.height, afterHash: expiry.after.hash, until: expiry.until, costMax },
    };
  }
}
