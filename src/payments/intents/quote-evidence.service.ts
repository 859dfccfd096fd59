import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import { formatUnits } from '../../domain/money.js';
import type { PriceVerdict, SourceEvidence } from '../../domain/price-verdict.js';
import type { Tenant } from '../../domain/tenant.js';
import { Database } from '../../platform/database/database.js';
import { PricingService, type QuoteEvidence } from '../../pricing/pricing.service.js';
import { IntentReader } from './intent-reader.service.js';
import type { PaymentIntent } from './payment-intent.entity.js';
import type { QuoteEvidenceObject } from './quote-evidence.schema.js';

/** Reads the evidence of a locked quote: every source, and how it was judged. */
@Injectable()
export class QuoteEvidenceReader {
  constructor(
    private readonly database: Database,
    private readonly intents: IntentReader,
    private readonly pricing: PricingService,
  ) {}

  /**
   * Returns the evidence of an intent's quote.
   * @throws DomainError not_found, also while there is no quote: it is locked together with the address
   */
  async get(tenant: Tenant, id: string): Promise<QuoteEvidenceObject> {
    const intent = await this.intents.find(this.database.em(), tenant, id);
    if (intent.priceRoundId === null) throw notQuotedYet();
    return presentEvidence(intent, await this.pricing.evidence(intent.priceRoundId, intent.token));
  }
}

function presentEvidence(intent: PaymentIntent, { pricedAt, verdict }: QuoteEvidence): QuoteEvidenceObject {
  const { tokenPrice, tokenPriceCents, tokenDecimals, cryptoAmount } = intent;
  if (tokenPrice === null || tokenPriceCents === null || tokenDecimals === null || cryptoAmount === null) {
    throw new Error(`The quote of ${intent.id} is incomplete.`);
  }
  return {
    object: 'quote_evidence',
    payment_intent_id: intent.id,
    network: intent.network,
    token: intent.token,
    currency: intent.currency,
    price: tokenPrice,
    token_price_cents: tokenPriceCents,
    amount_cents: intent.amountCents,
    crypto_amount: cryptoAmount.toString(),
    crypto_amount_decimal: formatUnits(cryptoAmount, tokenDecimals),
    priced_at: pricedAt.toISOString(),
    verdict: {
      code: verdict.code,
      rule: ruleInWords(verdict),
      median: verdict.median,
      quorum: verdict.quorum,
      fresh_sources: verdict.freshSources,
      used_sources: verdict.usedSources,
    },
    sources: verdict.sources.map(presentSource),
  };
}

function presentSource(answer: SourceEvidence): QuoteEvidenceObject['sources'][number] {
  return {
    source: answer.source,
    value: answer.value,
    observed_at: answer.observedAt,
    age_seconds: answer.ageSeconds,
    deviation_bps: answer.deviationBps,
    used: answer.used,
    reason: answer.reason,
  };
}

function ruleInWords({ code, quorum }: PriceVerdict): string {
  if (code === 'fixed') return 'A constant price of the sandbox.';
  return `The median of at least ${quorum} fresh sources, without those more than 1 % from it; the rest must be more than half.`;
}

function notQuotedYet(): DomainError {
  return new DomainError(
    'not_found',
    'The payment intent has no quote yet: it is locked when the address is generated.',
  );
}
