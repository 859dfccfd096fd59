import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A database of its own for one spec. */
export interface FreshDatabase {
  readonly url: string;
  /** Removes it, whoever is still connected. */
  drop(): Promise<void>;
}

/** Creates an empty database; `database.ts` creates migrated ones. */
export function freshDatabase(): Promise<FreshDatabase> {
  return createDatabase('template1');
}

/** Creates a database as a copy of `template` on the server of the test run; `drop` removes it. */
export async function createDatabase(template: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(`create database ${name} template ${template}`);
  return { url: urlOf(name), drop: () => run(`drop database if exists ${name} with (force)`) };
}

/** The migrated database that nobody connects to, so that it can be copied. */
export const migratedTemplate = (): string => new URL(serverUrl()).pathname.slice(1);

/** Set by the run's global setup. */
function serverUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set: specs on PostgreSQL run under vitest.');
  return url;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

async function run(statement: string): Promise<void> {
  const client = new Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
