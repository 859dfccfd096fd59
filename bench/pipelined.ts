import { Client, type QueryConfig } from 'pg';

/** As many as the service shares of its pool. */
const CONNECTIONS = 4;

/** A pool, or connections that are shared. */
export interface Connections {
  query(statement: QueryConfig): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** Opens connections that take each statement in turns, before they have answered the one in front of it. */
export async function pipelined(connectionString: string): Promise<Connections> {
  const settings = { connectionString, pipeline: true };
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(settings));
  await Promise.all(clients.map((client) => client.connect()));
  let next = 0;
  return {
    query: async (statement) => {
      const client = clients[next++ % CONNECTIONS];
      if (client === undefined) throw new Error('There is no connection.');
      return client.query(statement);
    },
  };
}
