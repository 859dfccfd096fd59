import { MikroORM } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
// Not from its index, which loads 35 more files: every command waits for them.
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

/** What a command needs beside the database. */
export interface CommandNeeds {
  /** The modules whose services it calls, and no others: each costs time to load. */
  readonly modules: readonly Type[];
  /** Whether its services ask chains: through the nodes of the configuration, or those of the sandbox. */
  readonly chains?: boolean;
  /** False to look at the schema as it is; by default it is brought up to date first. */
  readonly migrated?: boolean;
}

/** The database and the services as a command uses them. */
export interface CommandServices {
  readonly database: Database;
  /** Where the database is, with its password. */
  readonly url: string;
  readonly orm: MikroORM;
  /** A service that one of the modules exports. */
  readonly get: <Service>(service: Type<Service>) => Service;
}

/** Runs `work` on the database of the configuration and leaves everything as it was found: running or stopped. */
export async function withServices<Result>(
  context: CommandContext,
  { modules, chains = false, migrated = true }: CommandNeeds,
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  const config = commandConfig(context);
  const server = await openDatabaseServer(config, (line) => context.terminal.problem(line));
  // The embedded one may have been made by a version that knew no role but the owner, and a look changes nothing.
  const url = migrated || !config.embedded ? server.url : (server.ownerUrl ?? server.url);
  try {
    if (migrated) await prepareSchema(server, config);
    // `MikroORM.init` would look for entities in files, too, and load what it takes.
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
