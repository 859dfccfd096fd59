import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth/scopes.js';
import { type Readiness, HealthService } from './health.service.js';

/** For orchestrators and monitors; every role answers. */
@Controller('health')
@Public()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** The process runs. */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Requests can be served: 200, else 503, each dependency named. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) res: Response): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ready') res.status(503);
    return readiness;
  }
}
