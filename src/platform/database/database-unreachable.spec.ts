import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createDatabase } from '../../../test/support/database-url.js';
import { withClient } from './migrate.js';

const PASSWORD = 'sesame-opens-it';

async function refusalAt(url: string): Promise<Error> {
  return withClient(url, () => Promise.resolve()).then(
    () => new Error('connected'),
    (error: Error) => error,
  );
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe('a database that cannot be reached', () => {
  it.each(['127.0.0.1', 'localhost'])('is reported with host, port, database and role at %s', async (host) => {
    const port = await closedPort();
    const { message } = await refusalAt(`postgres://coffer:${PASSWORD}@${host}:${port}/shop`);
    expect(message).toContain(`PostgreSQL at ${host}:${port} (database shop, role coffer) cannot be reached: connect `);
    expect(message).toContain('Start PostgreSQL there, or correct the host and port.');
    expect(message).not.toContain(PASSWORD);
  });

  it('is reported with the directory of its Unix socket', async () => {
    const { message } = await refusalAt(`postgres://coffer:${PASSWORD}@%2Fno%2Fdatabase:5433/shop`);
    expect(message).toContain(
      'PostgreSQL at /no/database:5433 (database shop, role coffer) cannot be reached: connect ',
    );
    expect(message).toContain('Start PostgreSQL there, or correct the host and port.');
    expect(message).not.toContain(PASSWORD);
  });

  it('differs from an unknown host name', async () => {
    const { message } = await refusalAt(`postgres://coffer:${PASSWORD}@db.invalid/shop`);
    expect(message).toContain('PostgreSQL at db.invalid:5432');
    expect(message).toContain('Correct the host name');
  });

  it('differs from a wrong password and from a missing database, with the message of the server', async () => {
    const db = await createDatabase('template1');
    const url = new URL(db.ownerUrl);
    const missing = await refusalAt(Object.assign(new URL(url), { pathname: '/nowhere' }).href);
    const wrong = await refusalAt(Object.assign(new URL(url), { username: 'stranger', password: PASSWORD }).href);
    await db.drop();
    expect(missing.message).toContain('database "nowhere" does not exist. Create the database, or correct its name.');
    expect(wrong.message).toContain('password authentication failed for user "stranger". Correct the user');
    expect(wrong.message).not.toContain(PASSWORD);
  });
});
