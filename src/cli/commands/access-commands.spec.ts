import { inCommand, runCommand, type CliRun } from '../../../test/support/cli-run.js';
import { type FreshDatabase, freshDatabase } from '../../../test/support/database-url.js';
import { query } from '../../../test/support/sql.js';
import { type Database } from '../../platform/database/database.js';
import { parseApiKey } from '../../domain/api-key.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('commands about merchants and keys', () => {
  let fresh: FreshDatabase;

  const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: fresh.url });

  function inDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return inCommand({ DATABASE_URL: fresh.url }, { modules: [] }, ({ database }) => work(database));
  }

  async function createMerchant(name = 'Acme'): Promise<string> {
    const { out } = await coffer('merchant', 'create', '--name', name, '--json');
    return (JSON.parse(out) as { id: string }).id;
  }

  beforeAll(async () => {
    fresh = await freshDatabase();
    expect((await coffer('migrate')).out).toMatch(/^applied \S+01-access\n/);
  });

  afterAll(() => fresh.drop());

  it('applies migrations once', async () => {
    expect(await coffer('migrate')).toEqual({ code: 0, out: 'The schema is up to date.\n', err: '' });
  });

  it('creates a merchant with a pocket for every token that is on offer', async () => {
    await inDatabase((database) =>
      database.transaction(async (tx) => {
        await query(
          tx,
          `insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, quiet_grace_ms,
             active) values ('c', 'sandbox', 'polygon', 'evm', '1', '0x', 3, 1, true)`,
        );
        await query(
          tx,
          `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
           values ('c', '0xaa', 'USDC', 6, 2, true), ('c', '0xbb', 'OLD', 6, 2, false)`,
        );
        await query(
          tx,
          `insert into chain_cursor (chain_ref, height, hash, block_time, head_height, finalized_height, synced_at,
             epoch) values ('c', 1, '0x', now(), 1, 1, now(), 0)`,
        );
      }),
    );
    const id = await createMerchant('Bolt');
    expect(id).toMatch(/^mer_[0-9a-z]{26}$/);
    const pockets = await inDatabase((database) =>
      query(database, `select environment, network, token from pocket where merchant_id = $1`, [id]),
    );
    expect(pockets).toEqual([{ environment: 'sandbox', network: 'polygon', token: 'USDC' }]);
    expect((await coffer('merchant', 'list')).out).toMatch(new RegExp(`${id} +sandbox only +Bolt\n`));
    const [newest = ''] = (await coffer('merchant', 'list', '--json')).out.split('\n');
    expect(JSON.parse(newest)).toEqual({ id, name: 'Bolt', verified_at: null, created_at: expect.stringMatching(ISO) });
  });

  it('gives live keys only to a merchant that was verified', async () => {
    const id = await createMerchant();
    const create = () => coffer('key', 'create', '--merchant', id, '--env', 'live');
    const refused = await create();
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('Only a verified merchant can have live keys.');

    expect(await coffer('merchant', 'verify', id)).toMatchObject({ code: 0, err: '' });
    const { code, out, err } = await create();
    expect(code).toBe(0);
    expect(err).toContain('\nIt is secret, like every key that begins with pk_live_.\n');
    expect((await coffer('key', 'create', '--help')).out).toMatch(/secret.* pk_live_/);
    expect(parseApiKey(out.trimEnd())).toMatchObject({ environment: 'live' });
  });

  it('prints a new key alone on standard output, and never again', async () => {
    const id = await createMerchant();
    const { out, err } = await coffer(
      'key',
      'create',
      '--merchant',
      id,
      '--env',
      'sandbox',
      '--scopes',
      'read, payments:write',
    );
    const key = out.trimEnd();
    expect(parseApiKey(key)).toMatchObject({ environment: 'sandbox' });
    expect(err).toMatch(/^key_\w+, sandbox, scopes read, payments:write\.\nStore the key now/);

    const list = await coffer('key', 'list', '--merchant', id);
    expect(list.out).toMatch(new RegExp(`key_\\w+ +sandbox +…${key.slice(-4)} +active +never +read,payments:write`));
    expect(list.out).not.toContain(key);
    const listed = await coffer('key', 'list', '--merchant', id, '--json');
    expect(Object.entries(JSON.parse(listed.out))).toEqual([
      ['id', expect.stringMatching(/^key_/)],
      ['environment', 'sandbox'],
      ['name', null],
      ['last4', key.slice(-4)],
      ['scopes', ['read', 'payments:write']],
      ['created_at', expect.stringMatching(ISO)],
      ['last_used_at', null],
      ['expires_at', null],
      ['revoked_at', null],
    ]);
  });

  it('revokes a key, and reports an unknown id', async () => {
    const merchant = await createMerchant();
    const created = await coffer('key', 'create', '--merchant', merchant, '--env', 'sandbox', '--json');
    const { id } = JSON.parse(created.out) as { id: string };
    expect((await coffer('key', 'revoke', id)).code).toBe(0);
    expect((await coffer('key', 'list', '--merchant', merchant)).out).toContain('revoked');
    const audited = await inDatabase((database) =>
      query<{ action: string; subject: string }>(
        database,
        `select action, subject from audit_entry where subject = any($1) order by id`,
        [[merchant, id]],
      ),
    );
    expect(audited).toEqual([
      { action: 'merchant.create', subject: merchant },
      { action: 'api_key.create', subject: id },
      { action: 'api_key.revoke', subject: id },
    ]);
    expect(await coffer('key', 'revoke', 'key_unknown')).toMatchObject({
      code: 1,
      err: 'coffer key revoke: No such API key.\n',
    });
  });

  it('exits 2 for an unknown scope, and 1 for an unknown merchant', async () => {
    const id = await createMerchant();
    expect((await coffer('key', 'create', '--merchant', id, '--env', 'sandbox', '--scopes', 'all')).code).toBe(2);
    expect((await coffer('key', 'create', '--merchant', 'mer_unknown', '--env', 'sandbox')).code).toBe(1);
    expect((await coffer('merchant', 'verify', 'mer_unknown')).code).toBe(1);
  });

  it('changes the tolerance of a merchant within its limits, audits it, and prints from when it applies', async () => {
    const id = await createMerchant();
    const update = (bps: string, merchant = id) => coffer('merchant', 'update', merchant, '--tolerance-bps', bps);
    expect(await update('50')).toEqual({
      code: 0,
      out: `The tolerance of merchant ${id} is 50 basis points (before: 0), for intents created from now on.\n`,
      err: '',
    });
    expect((await update('1000')).out).toContain('is 1000 basis points (before: 50)');
    for (const wrong of ['1001', '-1', '0.5', 'all']) expect((await update(wrong)).code).toBe(2);
    expect((await coffer('merchant', 'update', id)).code).toBe(2);
    expect((await update('5', 'mer_unknown')).code).toBe(1);
    const rows = await inDatabase((database) =>
      query(
        database,
        `select underpayment_tolerance_bps as bps, details, before, after, action, actor like '%@%' as named
           from merchant join audit_entry on subject = merchant.id where merchant.id = $1 and action = 'merchant.tolerance'
          order by audit_entry.id`,
        [id],
      ),
    );
    const entry = { bps: 1000, action: 'merchant.tolerance', named: true, details: {} };
    expect(rows).toEqual([
      { ...entry, before: { tolerance_bps: 0 }, after: { tolerance_bps: 50 } },
      { ...entry, before: { tolerance_bps: 50 }, after: { tolerance_bps: 1000 } },
    ]);
  });

  it('reports an unknown delivery, and sends nothing', async () => {
    expect(await coffer('deliveries', 'retry', 'dlv_unknown')).toMatchObject({
      code: 1,
      err: 'dlv_unknown: No such delivery.\n',
    });
    expect(await coffer('deliveries', 'show', 'dlv_unknown')).toMatchObject({ code: 1, out: '' });
    for (const verb of ['recover', 'send-missing']) {
      const { code, err } = await coffer('deliveries', verb, '--endpoint', 'we_unknown', '--since', '2026-01-01');
      expect([code, err]).toEqual([1, `coffer deliveries ${verb}: No such webhook endpoint.\n`]);
    }
    expect((await coffer('deliveries', 'list')).out).toMatch(/^DELIVERY +STATUS .*\n$/);
  });
});
