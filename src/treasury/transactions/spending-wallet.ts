import { checksumEvmAddress } from '../../domain/evm-address.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { GasFees, GasPrices } from '../../domain/network-fee.js';
import { CALL_GAS_HEADROOM } from '../../domain/sweep-gas.js';
import { transferCall } from '../../chains/evm/transfer-call.js';
import type { FeeStrategy, PaymentRefusal, WaitingReason } from '../../domain/outgoing-payment.js';
import { transferGas } from '../../domain/transfer-gas.js';
import type { EvmTransactionFields } from '../../chains/evm/evm-transaction.js';
import { type GasOffer, gasOffer } from '../fees/gas-offer.js';
import type { SimulatedPayments } from '../simulation/simulated-payment.js';
import type { LockedWallet } from '../wallets/locked-wallet.js';
import type { Authorizations } from './checked-signature.js';
import { type PromisedFunds, missingFunds } from './payment-funds.js';
import type { TransactionOrder } from './transaction-order.js';

/** An order for one transaction of a hot wallet. */
export interface SigningOrder {
  readonly purposeId: string;
  readonly strategy: FeeStrategy;
  readonly order: TransactionOrder;
  /** The checked authorizations of other addresses. */
  readonly authorizations: Authorizations;
}

/** The gas that a transaction may spend. */
interface PlannedGas {
  readonly gasLimit: bigint;
  readonly fees: GasFees;
  /** Its highest cost, in wei. */
  readonly cost: bigint;
}

/** Returns the gas limit for signing an order. */
export const gasLimitOf = (order: TransactionOrder): bigint =>
  order.kind === 'call' ? order.gasLimit : transferGas(order.token).limit;

/** A locked hot wallet that may sign, with the funds that it can still promise while orders are planned. */
export class SpendingWallet {
  private nextNonce: number;

  constructor(
    readonly locked: LockedWallet,
    private readonly prices: GasPrices,
    private readonly funds: PromisedFunds,
    private readonly simulations: SimulatedPayments,
  ) {
    this.nextNonce = locked.nextNonce;
  }

  /** Returns the gas for an order, or why it cannot be signed now. */
  async gasFor({ purposeId, strategy, order }: SigningOrder): Promise<PlannedGas | WaitingReason | PaymentRefusal> {
    const gasLimit = gasLimitOf(order);
    const offer = gasOffer(this.locked.network, this.prices, { strategy, gasLimit });
    if (typeof offer === 'string') return offer;
    const obstacle = await this.obstacleTo(order, offer);
    if (obstacle !== null) return obstacle;
    const refusal = order.kind === 'transfer' ? this.simulations.refusalOf({ purposeId, order }) : null;
    return refusal ?? { gasLimit, fees: offer.fees, cost: offer.cost };
  }

  /** Returns the transaction of an order with the next nonce, and promises its cost and its amount. */
  plan({ order }: SigningOrder, { gasLimit, fees, cost }: PlannedGas): EvmTransactionFields {
    this.funds.promise(NATIVE_COIN, cost);
    if (order.kind === 'transfer') {
      this.funds.promise(order.token, order.amount);
      this.simulations.sign(order);
    }
    const call = order.kind === 'call' ? { to: order.to, value: 0n, data: order.data } : transferCall(order);
    return {
      ...call,
      to: checksumEvmAddress(call.to),
      chainId: BigInt(this.locked.chainId),
      nonce: this.nextNonce++,
      gasLimit,
      ...fees,
    };
  }

  private async obstacleTo(order: TransactionOrder, offer: GasOffer): Promise<WaitingReason | null> {
    if (order.kind === 'transfer') return missingFunds(order, offer, this.funds);
    const coins = await this.funds.spendable(NATIVE_COIN);
    if (coins === null) return 'balance_unknown';
    return coins < CALL_GAS_HEADROOM * offer.cost ? 'gas_missing' : null;
  }
}
