import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth/scopes.js';
import { type Readiness, HealthService } from './health.service.js';

/** Health checks for orchestrators and monitors, in every role. */
@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Answers 200 while the process runs. */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Answers 200 when requests can be served, else 503, with the state of each dependency. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) res: Response): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ready') res.status(503);
    return readiness;
  }
}
