import type { PaymentState } from '../../domain/intent-state.js';
import { formatUnits } from '../../domain/money.js';
import { addressFamilyOf } from '../../domain/network.js';
import { paymentUri } from '../../domain/payment-uri.js';
import type { PaymentDeposit } from '../deposits/payment-deposit.js';
import type { PaymentIntent } from './payment-intent.entity.js';
import type { PaymentIntentObject } from './payment-intent.schema.js';
import { paymentStateOf } from './payment-state.js';

/** The current position of the intent's chain: where its head is, and how deep is final. */
export interface ChainPosition {
  readonly chainId: string;
  readonly headHeight: number;
  readonly confirmations: number;
}

type PaymentObject = PaymentIntentObject['payments'][number];

/** The part of an intent that is shown. */
export type PresentedIntent = Omit<
  PaymentIntent,
  'toleranceBps' | 'chainRef' | 'priceRoundId' | 'tokenPrice' | 'dueAt' | 'apiKeyId' | 'requestId'
>;

/** Number of payments of an intent that are listed, the largest; its amounts count all of them. */
export const PAYMENTS_SHOWN = 100;

/** The states of a transfer by their public names. */
export const PAYMENT_STATUS = {
  seen: 'pending',
  confirmed: 'confirmed',
  orphaned: 'orphaned',
  on_hold: 'on_hold',
  kept: 'kept',
} as const satisfies Record<PaymentState, PaymentObject['status']>;

/**
 * Presents the intent as the API and the events show it. `chain` is null before the address, and once the chain is
 * replaced.
 */
export function presentIntent(
  intent: PresentedIntent,
  deposits: readonly PaymentDeposit[],
  chain: ChainPosition | null,
): PaymentIntentObject {
  const decimals = intent.tokenDecimals;
  return {
    id: intent.id,
    object: 'payment_intent',
    merchant_id: intent.merchantId,
    environment: intent.environment,
    amount_cents: intent.amountCents,
    received_amount_cents: intent.receivedAmountCents,
    remaining_amount_cents: intent.amountCents - intent.receivedAmountCents,
    overpaid_amount_cents: intent.overpaidAmountCents,
    accepted_shortfall_cents: intent.acceptedShortfallCents,
    currency: intent.currency,
    settlement_currency: intent.settlementCurrency,
    network: intent.network,
    token: intent.token,
    token_decimals: decimals,
    crypto_amount: intent.cryptoAmount?.toString() ?? null,
    crypto_amount_decimal:
      intent.cryptoAmount === null || decimals === null ? null : formatUnits(intent.cryptoAmount, decimals),
    received_crypto_amount: intent.receivedCryptoAmount.toString(),
    token_price_cents: intent.tokenPriceCents,
    address: intent.address,
    // `created` is passed within the creating request.
    status: intent.status === 'created' ? 'requires_action' : intent.status,
    failure_code: intent.failureCode,
    reference: intent.reference,
    metadata: { ...intent.metadata, ...(intent.address !== null && { blockchain_address: intent.address }) },
    // Deposits match the chain and token of the quote: without a quote there is none.
    payments: decimals === null ? [] : presentPayments(deposits, decimals, chain),
    payment_uri: paymentUriOf(intent, chain),
    checkout_url: null,
    created_at: intent.createdAt.toISOString(),
    updated_at: intent.updatedAt.toISOString(),
    expires_at: intent.expiresAt.toISOString(),
    completed_at: intent.completedAt?.toISOString() ?? null,
  };
}

/** Anybody can send dust to an address; it must neither enlarge every answer nor hide a payment. */
function shownOf(deposits: readonly PaymentDeposit[]): readonly PaymentDeposit[] {
  if (deposits.length <= PAYMENTS_SHOWN) return deposits;
  return deposits.toSorted((a, b) => (a.amount < b.amount ? 1 : -1)).slice(0, PAYMENTS_SHOWN);
}

function presentPayments(
  deposits: readonly PaymentDeposit[],
  decimals: number,
  chain: ChainPosition | null,
): PaymentObject[] {
  return shownOf(deposits)
    .toSorted((a, b) => a.blockHeight - b.blockHeight || a.position - b.position)
    .map((deposit) => presentPayment(deposit, decimals, chain));
}

function presentPayment(deposit: PaymentDeposit, decimals: number, chain: ChainPosition | null): PaymentObject {
  const state = paymentStateOf(deposit);
  const required = chain?.confirmations ?? 0;
  const onTop = Math.max(0, (chain?.headHeight ?? 0) - deposit.blockHeight);
  return {
    id: deposit.id,
    tx_hash: deposit.txHash,
    from_address: deposit.fromAddress,
    amount: deposit.amount.toString(),
    amount_decimal: formatUnits(deposit.amount, decimals),
    status: PAYMENT_STATUS[state],
    confirmations: state === 'orphaned' ? 0 : Math.max(onTop, state === 'seen' ? 0 : required),
    required_confirmations: required,
    block_number: deposit.blockHeight,
    seen_at: deposit.seenAt.toISOString(),
    late: deposit.late ?? false,
  };
}

function paymentUriOf(intent: PresentedIntent, chain: ChainPosition | null): string | null {
  const { network, address: to, tokenContract: token, tokenDecimals: decimals, cryptoAmount: units } = intent;
  if (chain === null || to === null || token === null || decimals === null || units === null) return null;
  return paymentUri({
    family: addressFamilyOf(network),
    chainId: chain.chainId,
    token,
    decimals,
    to,
    units,
  });
}
