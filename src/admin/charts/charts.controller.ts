import { Get, Query } from '@nestjs/common';
import { type DailyFigures, DailyFiguresReader } from '../../charts/daily-figures.service.js';
import type { StatName } from '../../charts/hourly-stat.entity.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { presentTimeOrNull } from '../amount.js';
import { EnvironmentController } from '../environment-controller.js';
import { type ChartsObject, type ChartsQuery, chartsQuery, chartsSchema } from './charts.schema.js';

/** The figures of the last days. */
@EnvironmentController('charts')
export class ChartsController {
  constructor(private readonly figures: DailyFiguresReader) {}

  @Get()
  @RequirePermission('operations.read')
  @ApiOperationDocs({
    operationId: 'getCharts',
    summary: 'Retrieve the figures of the last days',
    description: 'Of closed hours alone.',
    tag: 'Charts',
    success: { description: 'One row for each day.', schema: chartsSchema },
  })
  async get(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: chartsQuery }) { days }: ChartsQuery,
  ): Promise<ChartsObject> {
    const chart = await this.figures.of(environment, days);
    return { object: 'charts', days: chart.days.map(presentDay), until: presentTimeOrNull(chart.until) };
  }
}

function presentDay({ day, figures }: DailyFigures): ChartsObject['days'][number] {
  const valueOf = (name: StatName): number => Number(figures.get(name) ?? 0n);
  return {
    id: day,
    settled_cents: valueOf('settled_cents'),
    intents_created: valueOf('intents_created'),
    intents_completed: valueOf('intents_completed'),
    intents_failed: valueOf('intents_failed'),
    intents_expired: valueOf('intents_expired'),
    intents_cancelled: valueOf('intents_cancelled'),
    attempts_delivered: valueOf('attempts_delivered'),
    attempts_failed: valueOf('attempts_failed'),
  };
}
