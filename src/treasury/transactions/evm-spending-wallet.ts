import { checksumEvmAddress } from '../../domain/evm-address.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { GasFees, GasPrices } from '../../domain/network-fee.js';
import { CALL_GAS_HEADROOM } from '../../domain/sweep-gas.js';
import { transferCall } from '../../chains/evm/transfer-call.js';
import type { PaymentRefusal, WaitingReason } from '../../domain/outgoing-payment.js';
import { transferGas } from '../../domain/transfer-gas.js';
import { type GasOffer, gasOffer } from '../fees/gas-offer.js';
import type { SimulatedPayments } from '../simulation/simulated-payment.js';
import type { EvmWallet } from '../wallets/locked-wallet.js';
import { evmSignable } from './checked-signature.js';
import { type PromisedFunds, missingFunds } from './payment-funds.js';
import type { SignableTransaction } from './signable-transaction.js';
import type { SigningOffer, SigningOrder, SpendingWallet } from './spending-wallet.js';
import { type NonceOrder, takesNonce } from './transaction-order.js';

/** An order as this wallet can sign it. */
type NonceSigningOrder = SigningOrder & { readonly order: NonceOrder };

/** The gas that a transaction may spend. */
interface PlannedGas {
  readonly gasLimit: bigint;
  readonly fees: GasFees;
  /** Its highest cost, in wei. */
  readonly cost: bigint;
}

/** Returns the gas limit for signing an order. */
export const gasLimitOf = (order: NonceOrder): bigint =>
  order.kind === 'call' ? order.gasLimit : transferGas(order.token).limit;

/** A hot wallet on an EVM network: account nonces, and gas. */
export class EvmSpendingWallet implements SpendingWallet {
  private nextNonce: number;

  constructor(
    readonly locked: EvmWallet,
    private readonly prices: GasPrices,
    private readonly funds: PromisedFunds,
    private readonly simulations: SimulatedPayments,
  ) {
    this.nextNonce = locked.nextNonce;
  }

  async offerFor({ order, ...terms }: SigningOrder): Promise<SigningOffer | WaitingReason | PaymentRefusal> {
    if (!takesNonce(order)) throw new Error('A sweep is a call on this chain.');
    const asked = { ...terms, order };
    const gas = await this.gasFor(asked);
    return typeof gas === 'string' ? gas : { accept: () => this.plan(asked, gas) };
  }

  private async gasFor({
    purposeId,
    strategy,
    order,
  }: NonceSigningOrder): Promise<PlannedGas | WaitingReason | PaymentRefusal> {
    const gasLimit = gasLimitOf(order);
    const offer = gasOffer(this.locked.network, this.prices, { strategy, gasLimit });
    if (typeof offer === 'string') return offer;
    const obstacle = await this.obstacleTo(order, offer);
    if (obstacle !== null) return obstacle;
    const refusal = order.kind === 'transfer' ? this.simulations.refusalOf({ purposeId, order }) : null;
    return refusal ?? { gasLimit, fees: offer.fees, cost: offer.cost };
  }

  private plan(
    { order, authorizations }: NonceSigningOrder,
    { gasLimit, fees, cost }: PlannedGas,
  ): SignableTransaction {
    this.funds.promise(NATIVE_COIN, cost);
    if (order.kind === 'transfer') {
      this.funds.promise(order.token, order.amount);
      this.simulations.sign(order);
    }
    const call = order.kind === 'call' ? { to: order.to, value: 0n, data: order.data } : transferCall(order);
    const fields = {
      ...call,
      to: checksumEvmAddress(call.to),
      chainId: BigInt(this.locked.chainId),
      nonce: this.nextNonce++,
      gasLimit,
      ...fees,
    };
    return evmSignable(this.locked, { fields, order, authorizations });
  }

  private async obstacleTo(order: NonceOrder, offer: GasOffer): Promise<WaitingReason | null> {
    if (order.kind === 'transfer') return missingFunds(order, offer, this.funds);
    const coins = await this.funds.spendable(NATIVE_COIN);
    if (coins === null) return 'balance_unknown';
    return coins < CALL_GAS_HEADROOM * offer.cost ? 'gas_missing' : null;
  }
}
