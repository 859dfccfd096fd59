import { defineCommand, EXIT } from './command.js';
import { openDatabaseServer } from './database-server.js';
import { commandConfig, migrateSchema } from './database-session.js';

/** `migrate`. */
export const migrate = defineCommand({
  usage: 'migrate',
  example: 'DATABASE_URL=postgres://coffer@db.example/coffer npx coffer migrate',
  details: 'Every start of the service does the same; run it ahead where a deployment wants the schema first.',
  options: {},
  run: async (_input, context) => {
    const server = await openDatabaseServer(commandConfig(context), (line) => context.terminal.problem(line));
    try {
      const applied = await migrateSchema(server.url);
      for (const name of applied) context.terminal.line(`applied ${name}`);
      if (applied.length === 0) context.terminal.line('The schema is up to date.');
      return EXIT.fine;
    } finally {
      await server.close();
    }
  },
});
