import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { MikroORM } from '@mikro-orm/postgresql';
import type { ChainSource } from '../chains/registry.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { createLogger, LOGGER } from '../platform/logging.js';
import { JobWaker, NoQueue } from '../platform/queue/job-waker.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';

/** The configuration and the connections of a command. */
export interface CommandParts {
  readonly config: Config;
  readonly orm: MikroORM;
  /** The chains that its services can reach. */
  readonly chains: readonly ChainSource[];
}

/** The platform of a command's services. It has no queue, leases or metrics: nothing runs in the background. */
@Global()
@Module({})
export class CommandPlatformModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  static with({ config, orm, chains }: CommandParts): DynamicModule {
    const runtime: Pick<Runtime, 'chains'> = { chains };
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: RUNTIME, useValue: runtime },
      { provide: LOGGER, useValue: createLogger('silent') },
      { provide: MikroORM, useValue: orm },
      { provide: JobWaker, useClass: NoQueue },
      Database,
    ];
    return { module: CommandPlatformModule, providers, exports: providers };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
