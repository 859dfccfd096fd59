import { Get, Query } from '@nestjs/common';
import { DailyFiguresReader } from '../../charts/daily-figures.service.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { presentTimeOrNull } from '../amount.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentDay } from './charts.presenter.js';
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
