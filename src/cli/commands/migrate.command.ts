import { defineCommand, EXIT } from '../command.js';
import { openDatabaseServer } from '../database-server.js';
import { prepareSchema } from '../prepare-schema.js';
import { commandConfig } from '../command-config.js';

/** `migrate`. */
export const migrate = defineCommand({
  usage: 'migrate',
  example: 'MIGRATION_DATABASE_URL=postgres://owner@db.example/coffer npx coffer migrate',
  details:
    'Applies the migrations with the role of MIGRATION_DATABASE_URL, and grants the role of DATABASE_URL the rights that\n' +
    'the service needs. Without MIGRATION_DATABASE_URL, the role of DATABASE_URL applies them.',
  options: {},
  run: async (_input, context) => {
    const config = commandConfig(context);
    const server = await openDatabaseServer(config, (line) => context.terminal.problem(line));
    try {
      const applied = await prepareSchema(server, config);
      for (const name of applied) context.terminal.line(`applied ${name}`);
      if (applied.length === 0) context.terminal.line('The schema is up to date.');
      return EXIT.fine;
    } finally {
      await server.close();
    }
  },
});
