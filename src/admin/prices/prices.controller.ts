import { Get } from '@nestjs/common';
import { isOffPeg, type PriceVerdict } from '../../domain/price-verdict.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { presentTimeOrNull } from '../amount.js';
import { EnvironmentController } from '../environment-controller.js';
import { type PricesObject, pricesSchema } from './prices.schema.js';

/** The prices that are quoted now, with their evidence. */
@EnvironmentController('prices')
export class PricesController {
  constructor(private readonly pricing: PricingService) {}

  @Get()
  @RequirePermission('operations.read')
  @ApiOperationDocs({
    operationId: 'getPrices',
    summary: 'Retrieve the newest prices with their evidence',
    description: 'As the last snapshot has them: no source is asked.',
    tag: 'Prices',
    success: { description: 'The newest snapshot, and what every source said.', schema: pricesSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller): Promise<PricesObject> {
    const snapshot = await this.pricing.snapshot(environment);
    const verdicts = [...(snapshot?.verdicts ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return {
      object: 'prices',
      snapshot_id: snapshot?.id ?? null,
      age_seconds: snapshot === null ? null : Math.round(snapshot.ageSeconds * 10) / 10,
      is_fresh: snapshot?.isFresh ?? false,
      prices: verdicts.map(([token, verdict]) => presentPrice(token, verdict, snapshot?.isFresh ?? false)),
      commands: ['npx coffer doctor'],
    };
  }
}

const presentPrice = (token: string, verdict: PriceVerdict, isFresh: boolean): PricesObject['prices'][number] => ({
  id: token,
  price: verdict.price,
  code: verdict.code,
  quorum: verdict.quorum,
  fresh_sources: verdict.freshSources,
  used_sources: verdict.usedSources,
  is_quotable: isFresh && verdict.price !== null,
  is_off_peg: verdict.price !== null && isOffPeg(token, verdict.price),
  sources: verdict.sources.map((said) => ({
    source: said.source,
    value: said.value,
    observed_at: presentTimeOrNull(said.observedAt),
    age_seconds: said.ageSeconds,
    deviation_bps: said.deviationBps,
    used: said.used,
    reason: said.reason,
  })),
});
