import { MikroORM } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
// Not from its index, which loads 35 more files and slows down every command.
import { NestFactory } from '@nestjs/core/nest-factory.js';
import { MIGRATIONS } from '../../migrations/list.js';
import { ENTITIES } from '../app/entities.js';
import { Database } from '../platform/database/database.js';
import { ormOptions } from '../platform/database/orm.config.js';
import { commandChains } from './chain-sources.js';
import type { CommandContext } from './command.js';
import { commandConfig } from './command-config.js';
import { CommandPlatformModule } from './command-platform.module.js';
import { openDatabaseServer } from './database-server.js';
import { prepareSchema, asDatabaseFailure } from './prepare-schema.js';

const POOL_MAX = 4;

/** What a command needs besides the database. */
export interface CommandNeeds {
  /** Only the modules whose services it calls: each takes time to load. */
  readonly modules: readonly Type[];
  /** Whether its services read chains, through the configured nodes or those of the sandbox. */
  readonly chains?: boolean;
  /** False to leave the schema as it is; by default pending migrations are applied first. */
  readonly migrated?: boolean;
}

/** The database and the services of a command. */
export interface CommandServices {
  readonly database: Database;
  /** The address of the database, with its password. */
  readonly url: string;
  readonly orm: MikroORM;
  /** Returns a service that one of the modules exports. */
  readonly get: <Service>(service: Type<Service>) => Service;
}

/** Runs `work` on the configured database. An embedded server that was stopped is stopped again at the end. */
export async function withServices<Result>(
  context: CommandContext,
  { modules, chains = false, migrated = true }: CommandNeeds,
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  const config = commandConfig(context);
  const server = await openDatabaseServer(config, (line) => context.terminal.problem(line));
  // An older version may have created the embedded one without the service's role, and `migrated: false` must not add it.
  const url = migrated || !config.embedded ? server.url : (server.ownerUrl ?? server.url);
  try {
    if (migrated) await prepareSchema(server, config);
    // `MikroORM.init` would also search files for entities.
    const orm = new MikroORM(ormOptions({ url, poolMax: POOL_MAX, entities: ENTITIES, migrations: MIGRATIONS }));
    const parts = { config, orm, chains: chains ? await commandChains(config) : [] };
    const app = await NestFactory.createApplicationContext(
      { imports: [CommandPlatformModule.with(parts), ...modules] },
      { logger: false, abortOnError: false },
    );
    try {
      return await work({ database: app.get(Database), url, orm, get: (service) => app.get(service) });
    } finally {
      await app.close();
    }
  } catch (error) {
    throw asDatabaseFailure(error, url);
  } finally {
    await server.close();
  }
}
