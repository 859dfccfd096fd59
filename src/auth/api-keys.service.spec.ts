import { AuthWorld } from '../../test/auth/sample-app.js';
import { eventually } from '../../test/support/eventually.js';
import { hashApiKey, parseApiKey } from '../domain/api-key.js';
import { type Environment, ENVIRONMENTS } from '../domain/network.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.service.js';
import { KeyUsage } from './key-usage.service.js';
import { MerchantsService } from './merchants.service.js';
import { type Scope, SCOPES } from './scopes.js';
import { FLOORED_NOW, query } from '../../test/support/sql.js';

/**
 * The environments whose new keys have a scope without asking for it. A new scope needs a row of its own, and `[]` unless
 * every merchant may have it.
 */
const DEFAULT_IN: Readonly<Record<Scope, readonly Environment[]>> = {
  read: ['sandbox', 'live'],
  'payments:write': ['sandbox', 'live'],
  'withdrawals:write': ['sandbox'],
  'webhooks:write': ['sandbox', 'live'],
};

describe('API keys', () => {
  let world: AuthWorld;
  let usage: KeyUsage;
  let authenticator: Authenticator;
  const keys = new ApiKeysService();

  beforeAll(async () => {
    world = await AuthWorld.create();
    usage = new KeyUsage(world.db);
    authenticator = new Authenticator(world.db, usage);
  });
  afterAll(async () => {
    await usage.flush();
    await world.close();
  });

  it.each(ENVIRONMENTS)(
    '[spec 5] of %s begin with its prefix and have the scopes that were decided for it, not those added since',
    async (environment) => {
      const { key, scopes } = await world.key({ environment });
      expect(parseApiKey(key)?.environment).toBe(environment);
      expect(Object.keys(DEFAULT_IN)).toEqual(SCOPES);
      expect(scopes).toEqual(SCOPES.filter((scope) => DEFAULT_IN[scope].includes(environment)));
      expect((await authenticator.authenticate(key))?.scopes).toEqual(scopes);
    },
  );

  it('[B-22] have a scope beyond the defaults only when asked for', async () => {
    const { key } = await world.key({ environment: 'live', scopes: ['withdrawals:write', 'read', 'read'] });
    expect((await authenticator.authenticate(key))?.scopes).toEqual(['read', 'withdrawals:write']);
  });

  it('are refused for live until the merchant is verified, and for an unknown merchant', async () => {
    const merchantId = await world.merchant();
    const order = { merchantId, environment: 'live' } as const;
    await expect(world.db.transaction((tx) => keys.createKey(tx, order))).rejects.toMatchObject({ code: 'forbidden' });
    await world.db.transaction((tx) => new MerchantsService().verifyMerchant(tx, merchantId));
    const { key } = await world.db.transaction((tx) => keys.createKey(tx, order));
    expect(await authenticator.authenticate(key)).toMatchObject({ merchantId, environment: 'live' });
    const unknown = { merchantId: 'mer_unknown', environment: 'sandbox' } as const;
    await expect(world.db.transaction((tx) => keys.createKey(tx, unknown))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it.each([[['everything']], [[]]])('are refused with the scopes %j', async (scopes) => {
    const order = { merchantId: await world.merchant(), environment: 'sandbox', scopes } as const;
    await expect(world.db.transaction((tx) => keys.createKey(tx, order))).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'scopes' },
    });
  });

  it('[B-26] are stored as a hash with the last four characters, without the secret', async () => {
    const { id, key } = await world.key();
    const [row] = await query<{ key_hash: string; last4: string }>(world.db, `select * from api_key where id = $1`, [
      id,
    ]);
    expect(row).toMatchObject({ key_hash: hashApiKey(key), last4: key.slice(-4) });
    expect(JSON.stringify(row)).not.toContain(key.slice(6, -4));
  });

  it('[B-23] that are malformed cost no query', async () => {
    const closed = await AuthWorld.create();
    const offline = new Authenticator(closed.db, new KeyUsage(closed.db));
    const { key } = await closed.key();
    await closed.close();
    const typo = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21);
    for (const junk of ['', 'junk', key.slice(0, -1), typo]) expect(await offline.authenticate(junk)).toBeNull();
    await expect(offline.authenticate(key)).rejects.toThrow();
  });

  it('[B-24] stop working within a second of their revocation, even when in use', async () => {
    const { id, key } = await world.key();
    expect(await authenticator.authenticate(key)).not.toBeNull();
    await world.db.transaction((tx) => keys.revokeKey(tx, id));
    const revokedAt = performance.now();
    let lastWorkedAt = revokedAt;
    await eventually(
      async () => {
        const askedAt = performance.now();
        const caller = await authenticator.authenticate(key);
        if (caller !== null) lastWorkedAt = askedAt;
        return caller;
      },
      (caller) => caller === null,
    );
    // Calls are up to 100 ms apart: the next one was made within the second, and refused.
    expect(lastWorkedAt - revokedAt).toBeLessThan(900);
    await world.db.transaction((tx) => keys.revokeKey(tx, id));
    await expect(world.db.transaction((tx) => keys.revokeKey(tx, 'key_unknown'))).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('stop working at their end, and are not made with one that has passed', async () => {
    const order = { merchantId: await world.merchant(), environment: 'sandbox', name: 'Shop' } as const;
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { id, key } = await world.db.transaction((tx) => keys.createKey(tx, { ...order, expiresAt }));
    expect(await authenticator.authenticate(key)).toMatchObject({ apiKeyId: id });
    await query(world.db, `update api_key set expires_at = ${FLOORED_NOW} where id = $1`, [id]);
    await eventually(
      () => authenticator.authenticate(key),
      (caller) => caller === null,
    );
    for (const wrong of [{ expiresAt: new Date() }, { name: 'x'.repeat(101) }, { name: 'a\0b' }]) {
      await expect(world.db.transaction((tx) => keys.createKey(tx, { ...order, ...wrong }))).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
  });

  it('have the time of their last use, to the minute', async () => {
    const { id, key } = await world.key();
    const lastUsed = async (): Promise<string | null> => {
      const [row] = await query<{ at: string | null }>(
        world.db,
        `select last_used_at::text as at from api_key where id = $1`,
        [id],
      );
      return row?.at ?? null;
    };
    const useAndWrite = async (by: KeyUsage): Promise<string | null> => {
      await new Authenticator(world.db, by).authenticate(key);
      await by.flush();
      return lastUsed();
    };
    expect(await lastUsed()).toBeNull();
    const first = await useAndWrite(usage);
    expect(first).not.toBeNull();
    expect(await useAndWrite(usage)).toBe(first);
    expect(await useAndWrite(new KeyUsage(world.db))).toBe(first);
    await query(world.db, `update api_key set last_used_at = now() - interval '2 minutes' where id = $1`, [id]);
    expect(await useAndWrite(new KeyUsage(world.db))).not.toBe(first);
  });
});

describe('Merchants', () => {
  let world: AuthWorld;
  const merchants = new MerchantsService();

  beforeAll(async () => {
    world = await AuthWorld.create();
  });
  afterAll(() => world.close());

  it.each([[''], ['  '], ['x'.repeat(256)], ['a\0b'], ['\ud800']])('are not made with the name %j', async (name) => {
    await expect(world.db.transaction((tx) => merchants.createMerchant(tx, { name }))).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('cannot be verified when they do not exist', async () => {
    await expect(world.db.transaction((tx) => merchants.verifyMerchant(tx, 'mer_no'))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
