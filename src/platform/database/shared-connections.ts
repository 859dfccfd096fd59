import { DatabaseError, type Pool, type PoolClient } from 'pg';

/** The statements on one connection. Further ones wait for a connection of the pool, like any other statement. */
const STATEMENTS_MAX = 8;

/** A connection out of the pool, and the number of statements that run on it. */
interface SharedConnection {
  readonly client: Promise<PoolClient>;
  running: number;
  isBroken: boolean;
}

/**
 * Connections of the pool that several statements share: the next one is sent before those in front of it are answered, so
 * under load neither the server nor the client waits for the other between two. Each statement is a transaction of its own.
 * PostgreSQL runs those of one connection one after the other, so none of them may wait for a lock.
 */
export class SharedConnections {
  private readonly connections = new Set<SharedConnection>();
  private readonly max: number;

  constructor(private readonly pool: Pool) {
    // A connection that always has work is not given back, so half of the pool is not shared.
    this.max = Math.max(1, Math.floor(pool.options.max / 2));
  }

  /** Runs one statement: on a connection of its own while there are few, and on the one with the least work otherwise. */
  async run<Result>(statement: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const connection = this.shared() ?? this.another();
    connection.running++;
    try {
      return await statement(await connection.client);
    } catch (error) {
      if (!isOfStatement(error)) this.retire(connection);
      throw error;
    } finally {
      connection.running--;
      if (connection.running === 0) await this.giveBack(connection);
    }
  }

  private shared(): SharedConnection | null {
    if (this.connections.size < this.max) return null;
    const [least] = [...this.connections].toSorted((a, b) => a.running - b.running);
    return least !== undefined && least.running < STATEMENTS_MAX ? least : null;
  }

  private another(): SharedConnection {
    const connection = { client: this.pool.connect(), running: 0, isBroken: false };
    if (this.connections.size < this.max) this.connections.add(connection);
    return connection;
  }

  /** Sends nothing more on a connection, and closes it once what runs on it has ended. */
  private retire(connection: SharedConnection): void {
    connection.isBroken = true;
    this.connections.delete(connection);
  }

  private async giveBack(connection: SharedConnection): Promise<void> {
    this.connections.delete(connection);
    const client = await connection.client.catch(() => null);
    client?.release(connection.isBroken);
  }
}

/** Whether the server has refused this one statement, so that the connection still works. */
const isOfStatement = (error: unknown): boolean => error instanceof DatabaseError && error.severity === 'ERROR';
