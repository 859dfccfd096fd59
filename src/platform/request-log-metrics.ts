import { Counter, type Registry } from 'prom-client';

/** Why requests are missing in the log: its buffer was full, or they could not be stored. */
export type LostReason = 'full' | 'failed';

/** What the log of API requests has lost. */
export class RequestLogMetrics {
  private readonly lostTotal: Counter<'reason'>;

  constructor(registry: Registry) {
    this.lostTotal = new Counter({
      name: 'coffer_request_log_lost_total',
      help: 'API requests that are missing in the request log, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    });
  }

  lost(reason: LostReason, count: number): void {
    this.lostTotal.inc({ reason }, count);
  }
}
