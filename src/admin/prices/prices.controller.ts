import { Get } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentPrice } from './prices.presenter.js';
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
