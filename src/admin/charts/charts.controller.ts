import { Get, Query } from '@nestjs/common';
import { type DailyFigures, DailyFiguresReader } from '../../charts/daily-figures.service.js';
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

const presentDay = ({ day, figures }: DailyFigures): ChartsObject['days'][number] => ({
  id: day,
  settled_cents: Number(figures.settled_cents),
  intents_created: Number(figures.intents_created),
  intents_completed: Number(figures.intents_completed),
  intents_failed: Number(figures.intents_failed),
  intents_expired: Number(figures.intents_expired),
  intents_cancelled: Number(figures.intents_cancelled),
  attempts_delivered: Number(figures.attempts_delivered),
  attempts_failed: Number(figures.attempts_failed),
});
