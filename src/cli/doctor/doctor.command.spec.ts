import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runCommand } from '../../../test/support/cli-run.js';
import { type FreshDatabase, freshDatabase } from '../../../test/support/database-url.js';
import type { Finding } from './doctor-finding.js';
import { checkNode } from './doctor-machine.js';

describe('doctor', () => {
  let dir: string;
  let fresh: FreshDatabase;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coffer-doctor-'));
    fresh = await freshDatabase();
  });

  afterEach(async () => {
    await fresh.drop();
    await rm(dir, { recursive: true });
  });

  async function examine(environment: Record<string, string>): Promise<{ code: number; findings: Finding[] }> {
    const { code, out } = await runCommand(['doctor', '--json'], environment);
    return {
      code,
      findings: out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Finding),
    };
  }

  const levelOf = (findings: readonly Finding[], check: string) =>
    findings.find((found) => found.check === check)?.level;

  const withDatabase = () => ({ DATA_DIR: dir, DATABASE_URL: fresh.url, ROLES: 'listener' });

  async function query(text: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: fresh.url });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  }

  it('fails nothing on a machine where nothing has run, and changes nothing', async () => {
    const { code, findings } = await examine({ DATA_DIR: join(dir, 'new') });
    expect(code).toBe(0);
    expect(findings.filter(({ level }) => level === 'fail')).toEqual([]);
    expect(levelOf(findings, 'database')).toBe('warn');
    await expect(chmod(join(dir, 'new'), 0o700)).rejects.toThrow('ENOENT');
  });

  it('finds an empty database unmigrated, and does not touch it', async () => {
    const { code, findings } = await examine(withDatabase());
    expect(code).toBe(1);
    expect(levelOf(findings, 'migrations')).toBe('fail');
    expect((await query(`select from pg_tables where schemaname = 'public'`)).rowCount).toBe(0);
  });

  it('reports a halted listener, a disabled token, an empty wallet pool and dead letters, each with a fix', async () => {
    await runCommand(['migrate'], withDatabase());
    await query(`
      insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, quiet_grace_ms, active)
        values ('c', 'sandbox', 'polygon', 'evm', '1', '0x', 3, 1, true);
      insert into chain_cursor
        (chain_ref, height, hash, block_time, head_height, finalized_height, synced_at, epoch, halted_reason)
        values ('c', 1, '0x', now(), 1, 1, now(), 0, 'a foreign chain');
      insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled, disabled_reason)
        values ('c', '0xa', 'USDC', 6, 2, false, 'no longer listed'), ('c', '0xb', 'USDC', 6, 2, true, null),
               ('c', '0xc', 'USDT', 6, 2, false, 'decimals on chain: 18, listed: 6');
      insert into pool_address
        (environment, family, derivation_index, derivation_path, address, address_key, retired_at)
        values ('sandbox', 'evm', 0, 'm', '0xA', '0xa', now());
      insert into merchant (id, name) values ('mer_1', 'A');
      insert into event (id, merchant_id, environment, type, resource_id, data)
        values ('evt_1', 'mer_1', 'sandbox', 'ping', 'we_1', '{}');
      insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, created_at, updated_at)
        values ('we_1', 'mer_1', 'sandbox', 'http://x', '{*}', 's', now(), now());
      insert into delivery (id, event_id, endpoint_id, status, finished_at)
        values ('dlv_1', 'evt_1', 'we_1', 'dead_letter', now())`);
    const { code, findings } = await examine(withDatabase());
    expect(code).toBe(1);
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          check: 'listener sandbox/polygon',
          level: 'fail',
          detail: 'halted: a foreign chain',
        }),
        expect.objectContaining({
          check: 'token sandbox/polygon/USDT',
          level: 'fail',
          detail: 'switched off: decimals on chain: 18, listed: 6',
        }),
        expect.objectContaining({ check: 'wallet pool sandbox/evm', level: 'fail' }),
        expect.objectContaining({
          check: 'dead letters',
          level: 'warn',
          fix: expect.stringContaining('deliveries recover --endpoint we_1 --since 20'),
        }),
      ]),
    );
    expect(findings.filter(({ check }) => check.startsWith('token '))).toHaveLength(1);
    expect(findings.filter(({ level, fix }) => (level === 'ok') !== (fix === null))).toEqual([]);

    expect((await runCommand(['deliveries', 'retry', 'dlv_1'], withDatabase())).code).toBe(0);
    expect(levelOf((await examine(withDatabase())).findings, 'dead letters')).toBe('ok');
  });

  it('reports nodes that disagree, payments that wait for a second node, and live networks with one node [F-75] [F-76]', async () => {
    await runCommand(['migrate'], withDatabase());
    await query(`
      insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, active)
        values ('c', 'live', 'polygon', 'evm', '137', '0x', 32, true);
      insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
        values ('c', '0x1', 'USDC', 6, 2, true);
      insert into chain_cursor
        (chain_ref, height, hash, block_time, head_height, finalized_height, synced_at, epoch, finality_doubt)
        values ('c', 1, '0x', now(), 1, 1, now(), 0, 'Final block 1 is a at b and c at d.');
      insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
        values ('live', 'evm', 0, 'm', '0xA', '0xa');
      insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
          block_height, block_hash, block_time, status, address_id, unattributed_reason, second_node_due_at)
        select 'dep_1', 'c', '0x1', '0x2', 0, '0xb', address, 1, 1, '0x', now(), 'seen', id, 'address_not_assigned', now()
          from pool_address`);
    const { findings } = await examine({ ...withDatabase(), LIVE_POLYGON_RPC_URL: 'http://127.0.0.1:1' });
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          check: 'listener live/polygon',
          level: 'fail',
          detail: 'nothing becomes final: Final block 1 is a at b and c at d.',
        }),
        expect.objectContaining({ check: 'second node', level: 'warn', detail: expect.stringContaining('1 payments') }),
        expect.objectContaining({ check: 'nodes live/polygon', level: 'warn' }),
      ]),
    );
  });

  it('warns of each reason that stops payouts, with a fix [I-117] [L-154]', async () => {
    await runCommand(['migrate'], withDatabase());
    expect((await examine(withDatabase())).findings).toContainEqual({
      check: 'withdrawals',
      level: 'warn',
      detail: 'No process holds an open vault: withdrawals wait. (none was seen yet)',
      fix: expect.stringContaining('vault role'),
    });
    await query(`
      insert into vault_presence (id, seen_at) values (1, now() + interval '1 hour');
      insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, active)
        values ('c', 'live', 'bnb', 'evm', '56', '0x', 15, true);
      insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
        values ('c', 'native', 'BNB', 18, 8, true);
      insert into hot_wallet (chain_ref, address, address_key, derivation_path, frozen_reason)
        values ('c', '0xA', '0xa', 'm', 'a leak');
      insert into hot_balance (chain_ref, token_contract, amount, height) values ('c', 'native', 5, 1);
      insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at) values ('c', 0, 5, 5, now())`);
    const { findings } = await examine(withDatabase());
    expect(findings.filter(({ check }) => check.startsWith('withdrawals'))).toEqual([
      {
        check: 'withdrawals live/bnb',
        level: 'warn',
        detail: 'Signing is frozen: withdrawals wait. (a leak)',
        fix: expect.stringContaining('withdrawals unfreeze'),
      },
      {
        check: 'withdrawals live/bnb',
        level: 'warn',
        detail: 'The hot wallet pays for the gas of 0 more payments.',
        fix: expect.stringContaining('hot wallet'),
      },
    ]);
    await query(`update hot_wallet set frozen_reason = null; update hot_balance set amount = 10::numeric ^ 18`);
    expect(levelOf((await examine(withDatabase())).findings, 'withdrawals')).toBe('ok');
  });

  it('reports the last audits of the books', async () => {
    await runCommand(['migrate'], withDatabase());
    const books = async () => (await examine(withDatabase())).findings.find(({ check }) => check === 'books');
    const audit = (scope: string, hoursAgo: number, finding: string): Promise<pg.QueryResult> =>
      query(`insert into books_audit (scope, sealed_to, seal_hash, finding_check, finding_row, finding_says, started_at, finished_at)
             select '${scope}', 7, 'x', ${finding}, now(), now() - ${hoursAgo} * interval '1 hour'`);
    expect(await books()).toMatchObject({ level: 'ok', detail: expect.stringContaining('not audited yet') });
    await audit('everything', 30, `null, null, null`);
    expect(await books()).toMatchObject({ level: 'warn', detail: 'last audited 30 hours ago' });
    await audit('new_entries', 0, `null, null, null`);
    expect(await books()).toMatchObject({ level: 'ok', detail: 'no rule was broken at the last audit' });
    await query(`
      insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, active)
        values ('e', 'live', 'ethereum', 'evm', '1', '0x', 15, true);
      insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
        values ('e', 'native', 'ETH', 18, 8, true);
      insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ('e', '0xA', '0xa', 'm');
      insert into stocktaking (chain_ref, token_contract, height, block_hash, nonce, amount, booked, booked_height,
                               booked_nonce, missing)
        values ('e', 'native', 9, '0x', 0, 0, 10::numeric ^ 18, 9, 0, 10::numeric ^ 18)`);
    expect(await books()).toMatchObject({
      level: 'fail',
      detail: '1 ETH are missing from the hot wallet of live/ethereum at block 9',
      fix: expect.stringContaining('Hot wallet'),
    });
    await query(`update stocktaking set missing = 0, compared_at = now() - interval '2 hours'`);
    await query(`insert into chain_cursor (chain_ref, height, hash, block_time, head_height, finalized_height, synced_at, epoch)
                 values ('e', 9, '0x9', now(), 9, 9, now(), 1)`);
    // A quiet chain makes no blocks.
    expect(await books()).toMatchObject({ level: 'ok' });
    await query(`update chain_cursor set finalized_height = 10`);
    expect(await books()).toMatchObject({
      level: 'warn',
      detail: 'the ETH in the hot wallet of live/ethereum was last compared with the books 120 minutes ago',
    });
    await audit('everything', 1, `'entries_balance', 'entry ent_1', 'leaves 5 of polygon:0xa unexplained'`);
    expect(await books()).toMatchObject({
      level: 'fail',
      detail: 'they do not hold: entry ent_1 leaves 5 of polygon:0xa unexplained',
      fix: expect.stringContaining('npx coffer verify'),
    });
  });

  it('finds a secret that others can read', async () => {
    const path = join(dir, 'vault.json');
    await writeFile(path, '{}', { mode: 0o644 });
    const { code, findings } = await examine({ DATA_DIR: dir });
    expect(code).toBe(1);
    expect(findings).toContainEqual({
      check: 'secrets',
      level: 'fail',
      detail: `other users can access ${path}`,
      fix: `chmod 600 ${path}`,
    });
  });

  it('reports settings that the service would refuse, and checks the rest all the same', async () => {
    const { code, findings } = await examine({ DATA_DIR: dir, DATABASE_URL: fresh.url });
    expect(code).toBe(1);
    expect(findings.filter(({ check }) => check === 'configuration').map(({ detail }) => detail)).toEqual([
      expect.stringContaining('SECRETS_KEY'),
    ]);
    expect(levelOf(findings, 'database')).toBe('ok');
  });

  it('names an address that differs from the derived one, and its owner [L-158]', async () => {
    await runCommand(['migrate'], withDatabase());
    await query(`
      insert into pool_address
        (environment, family, derivation_index, derivation_path, address, address_key, retired_at)
        values ('live', 'evm', 7, 'm/7', '0xA', '0xa', now());
      insert into disproved_address
        (address_id, derivation_index, derivation_path, address, address_key, derived_address)
        select id, 7, 'm/7', '0xA', '0xa', '0xB' from pool_address`);
    const { code, findings } = await examine(withDatabase());
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'address live m/7',
        level: 'fail',
        detail: '0xA is stored, and the vault derives 0xB; it is never assigned',
      }),
    );
  });

  it('warns of a vault that stays sealed without a passphrase [L-154]', async () => {
    const path = join(dir, 'vault.json');
    await writeFile(path, '{}', { mode: 0o600 });
    const deployed = { DATA_DIR: dir, DATABASE_URL: fresh.url, ROLES: 'vault' };
    const detail = `${path} stays sealed: VAULT_PASSPHRASE is not set`;
    expect((await examine(deployed)).findings).toContainEqual(expect.objectContaining({ level: 'warn', detail }));
    const { findings } = await examine({ ...deployed, VAULT_PASSPHRASE: 'correct horse battery staple' });
    expect(findings).toContainEqual({ check: 'vault', level: 'ok', detail: path, fix: null });
  });

  it('names a database that does not answer', async () => {
    const { findings } = await examine({ ...withDatabase(), DATABASE_URL: 'postgres://127.0.0.1:1/x' });
    expect(findings.at(-1)).toMatchObject({
      check: 'database',
      level: 'fail',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('refuses a Node that is too old', () => {
    expect(['22.18.0', '26.10.0', '23.0.0'].map((version) => checkNode(version).level)).toEqual(['ok', 'ok', 'ok']);
    expect(['22.17.9', '20.20.2'].map((version) => checkNode(version).level)).toEqual(['fail', 'fail']);
    const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    expect(checkNode('0.0.0').detail).toBe(`0.0.0 is older than ${engines.node.replace('>=', '')}`);
  });
});
