import { query } from '../support/sql.js';
import { ConsoleClient } from './console-client.js';
import { addMember, type ConsoleService, PASSWORD, startConsole } from './console-service.js';

const BASE_URL = 'http://pay.example.com';

let service: ConsoleService;
afterEach(() => service.stop());

it('refuses every route where live passwords would travel in clear text, with the reason', async () => {
  service = await startConsole({ live: true, env: { BASE_URL } });
  await addMember(service, 'kim@example.com', { live: 'admin' }, { totp: true });
  const client = new ConsoleClient(service.url);
  for (const { status, body } of [
    await client.signIn('kim@example.com', PASSWORD),
    await client.get('/session'),
    await client.post('/invitations/read', { token: 'x' }),
  ]) {
    expect([status, body['error'].code]).toEqual([403, 'forbidden']);
    expect(body['error'].message).toContain(`BASE_URL (${BASE_URL})`);
  }
});

it('binds the cookie to the host and to https where BASE_URL is https, behind a proxy that is trusted [M-166]', async () => {
  service = await startConsole({ env: { BASE_URL: 'https://pay.example.com', TRUST_PROXY: '1' } });
  await addMember(service, 'kim@example.com', { sandbox: 'viewer' });
  const client = new ConsoleClient(service.url);
  const headers = { Origin: 'https://pay.example.com', 'X-Forwarded-Proto': 'https' };
  const signIn = (n: number, password: string) =>
    client.post(
      '/session',
      { email: 'kim@example.com', password },
      // The proxy adds the last address; the client has written the others.
      { headers: { ...headers, 'X-Forwarded-For': `198.51.100.${n}, 203.0.113.9` } },
    );
  expect((await signIn(1, PASSWORD)).status).toBe(200);
  expect(client.setCookie).toMatch(/^__Host-coffer=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect((await client.get('/session')).status).toBe(200);
  const sessions = await query(service.database, 'select address from staff_session');
  expect(sessions).toEqual([{ address: '203.0.113.9' }]);
});
