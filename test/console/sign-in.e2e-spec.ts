import { startWorld, type World } from '../support/world.js';
import { ConsoleClient, signedInAdmin } from './console-client.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { WALLET_POOL_TARGET: '0' } });
});
afterAll(() => world.stop());

describe('signing in to the console', () => {
  it('opens a session with the roles and the permissions of its member', async () => {
    const client = await signedInAdmin(world);
    const { status, body } = await client.get('/session');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'session',
      staff: { email: 'admin@localhost', roles: { sandbox: 'admin', live: 'none' }, totp_enabled: false },
      environments: ['sandbox'],
      permissions: { live: [] },
    });
    expect(body['permissions'].sandbox).toContain('endpoints.rotate');
  });

  it('answers 401 without a session', async () => {
    expect((await new ConsoleClient(world.url).get('/session')).status).toBe(401);
  });
});
