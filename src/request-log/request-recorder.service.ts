import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { isMerchantApi } from '../http/api-request.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { ThrottledLog } from '../platform/throttled-log.js';
import { recordOf, type RequestRecord } from './request-record.js';
import { insertRequests } from './request-records.sql.js';

const FLUSH_AFTER_MS = 1_000;
/** The most requests that wait for the next statement: as many as a process answers in some seconds. */
const WAITING_MAX = 5_000;

/**
 * Keeps the log of API requests: one statement a second for all of them, and never while a request waits. What does not fit,
 * or cannot be stored, is counted as lost. A crash loses the last second.
 */
@Injectable()
export class RequestRecorder implements OnApplicationShutdown {
  private readonly throttled = new ThrottledLog(60_000);
  private waiting: RequestRecord[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Watches the requests of an application; its first middleware but for that of request ids. */
  readonly watch = (req: Request, res: Response, next: NextFunction): void => {
    if (isMerchantApi(req)) {
      const startedMs = performance.now();
      // Also when the client has gone before the answer.
      res.once('close', () => this.note(recordOf(req, res, performance.now() - startedMs)));
    }
    next();
  };

  /** Stores what waits, after what is being stored. Never throws. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** The server has finished its requests, and the database is still open. */
  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private note(record: RequestRecord | null): void {
    if (record === null) return;
    if (this.waiting.length >= WAITING_MAX) {
      this.metrics.requestLog.lost('full', 1);
      return;
    }
    this.waiting.push(record);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  private async write(): Promise<void> {
    const records = this.waiting;
    if (records.length === 0) return;
    this.waiting = [];
    try {
      await this.database.rows(insertRequests(records));
    } catch (error) {
      this.metrics.requestLog.lost('failed', records.length);
      this.throttled.write(() =>
        this.logger.warn({ err: error, requests: records.length }, 'Requests are missing in the request log.'),
      );
    }
  }
}
