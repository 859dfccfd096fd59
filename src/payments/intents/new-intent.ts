import { newId } from '../../domain/ids.js';
import { type ApiCaller, originOf } from '../../http/api-origin.js';
import type { SqlText } from '../../platform/sql/sql.js';
import type { PaymentIntent } from './payment-intent.entity.js';
import type { PresentedIntent } from './payment-intent.presenter.js';

/** What the request of a merchant says about a new intent. */
export type IntentTerms = Pick<
  PaymentIntent,
  'amountCents' | 'currency' | 'settlementCurrency' | 'network' | 'token' | 'reference' | 'metadata'
>;

/** The times of a new intent, by the clock of the database. */
export interface IntentTimes<Time = SqlText> {
  readonly now: Time;
  readonly deadline: Time;
}

/** An intent that is not stored yet, with the API call that creates it. */
export type NewIntent = PresentedIntent & Pick<PaymentIntent, 'apiKeyId' | 'requestId'>;

/** Returns a new intent. It starts as requires_action: `created` passes within the call. */
export function newIntent(caller: ApiCaller, terms: IntentTerms, { now, deadline }: IntentTimes<Date>): NewIntent {
  return {
    id: newId('pi_'),
    merchantId: caller.merchantId,
    environment: caller.environment,
    status: 'requires_action',
    failureCode: null,
    ...terms,
    tokenContract: null,
    tokenDecimals: null,
    tokenPriceCents: null,
    cryptoAmount: null,
    address: null,
    receivedCryptoAmount: 0n,
    receivedAmountCents: 0,
    overpaidAmountCents: 0,
    acceptedShortfallCents: 0,
    createdAt: now,
    updatedAt: now,
    expiresAt: deadline,
    completedAt: null,
    ...originOf(caller),
  };
}
