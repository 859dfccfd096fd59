import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { CONFIG, type Config } from './config.js';
import { Database } from './database/database.js';
import { LeaseKeeper } from './leases.js';
import { LOGGER } from './logging.js';
import { Metrics } from './metrics.js';
import { OutboundClient } from './outbound/outbound-client.js';
import { openQueueBackend } from './queue/open-queue-backend.js';
import { QUEUE_BACKEND, type QueueBackend } from './queue/queue-backend.js';
import { QueueModule } from './queue/queue.module.js';
import { RUNTIME, type Runtime } from './runtime.js';
import { SecretBox } from './secret-box.js';

/** The parts that exist before Nest starts, so that a failing start can report its cause in plain words. */
export interface PlatformParts {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly orm: MikroORM;
}

/** Database, queue, leases, metrics and the other services that every feature uses. */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(
    private readonly leases: LeaseKeeper,
    @Inject(QUEUE_BACKEND) private readonly backend: QueueBackend,
    private readonly database: Database,
    private readonly outbound: OutboundClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  static with({ config, runtime, logger, orm }: PlatformParts): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: RUNTIME, useValue: runtime },
      { provide: LOGGER, useValue: logger },
      { provide: MikroORM, useValue: orm },
      { provide: SecretBox, useFactory: () => new SecretBox(runtime.secretsKey, config.previousSecretsKey) },
      { provide: OutboundClient, useFactory: () => new OutboundClient({ timeoutMs: config.webhooks.timeoutMs }) },
      {
        provide: QUEUE_BACKEND,
        useFactory: () => openQueueBackend({ databaseUrl: runtime.databaseUrl, redisUrl: config.redisUrl }, logger),
      },
      Database,
      Metrics,
      LeaseKeeper,
    ];
    return { module: PlatformModule, imports: [QueueModule], providers, exports: [...providers, QueueModule] };
  }

  /** Runs last, after the roles have stopped and the server has finished its requests. */
  async onApplicationShutdown(): Promise<void> {
    await this.leases.stop();
    await this.backend.close();
    await this.outbound.close();
    const isClosed = await this.database.close();
    if (!isClosed) this.logger.warn('Connections to PostgreSQL were closed while they were still in use.');
  }
}
