import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DIST, newId, startEmbeddedPostgres } from './compiled.ts';
import { databaseSettings } from './database-settings.ts';

const POLL_MS = 5;
const REGISTERED_WITHIN_MS = 60_000;
/** Addresses that are paid: each belongs to an intent. */
const PAID = 1_000;
const PAGE_BYTES = 4_096;
const MB = 2 ** 20;
const SECRETS_KEY = '5e'.repeat(32);

/** A database by the size of its pool. */
type Pool = 'few' | 'many';

/** Databases whose listener is behind, for repeated runs from the same state. */
export interface CatchUpStage {
  /** Lets a listener register the chain, stops it, and fills two pools that both have the paid addresses. */
  prepare(addresses: number, manyAddresses: number): Promise<void>;
  paidAddresses(): Promise<string[]>;
  /** Runs a listener on a fresh copy of a database; returns seconds from the first step to the head, and memory at the end. */
  catchUp(pool: Pool): Promise<{ seconds: number; megabytes: number }>;
  close(): Promise<void>;
}

/** Sets up the stage in `dir`, for a listener of the chain at `rpcUrl`. */
export async function setCatchUpStage(dir: string, rpcUrl: string): Promise<CatchUpStage> {
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const postgres = await startEmbeddedPostgres({ dir: join(dir, 'postgres'), preferredPort: 0, log: () => undefined });
  const admin = new Client({ connectionString: urlOf(postgres.url, 'postgres') });
  await admin.connect();
  await admin.query('create database few');

  const asking =
    (pool: Pool): Ask =>
    async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
      const client = new Client({ connectionString: urlOf(postgres.url, pool) });
      await client.connect();
      try {
        return (await client.query<Row & Record<string, unknown>>(text, [...values])).rows;
      } finally {
        await client.end();
      }
    };
  const inFew = asking('few');
  const startListener = (database: string): Listener => {
    const settings = Object.entries(databaseSettings(postgres)).map(
      ([name, url]) => [name, urlOf(url, database)] as const,
    );
    return spawnListener(dir, Object.fromEntries(settings), rpcUrl);
  };

  return {
    prepare: async (addresses, manyAddresses) => {
      const listener = startListener('few');
      await untilRegistered(() => inFew('select from chain_cursor'), listener);
      await listener.stop();
      await fillPool(inFew, addresses);
      await assignPaid(inFew);
      await admin.query('create database many template few');
      await fillPool(asking('many'), manyAddresses);
    },
    paidAddresses: async () =>
      (await inFew<{ address_key: string }>('select address_key from pool_address where intent_id is not null')).map(
        (row) => row.address_key,
      ),
    catchUp: async (pool) => {
      await admin.query('drop database if exists run with (force)');
      await admin.query(`create database run template ${pool}`);
      // Flushes the copy now, not while the run is measured.
      await admin.query('checkpoint');
      execFileSync('sync');
      return watchRun(urlOf(postgres.url, 'run'), () => startListener('run'));
    },
    close: async () => {
      await admin.end();
      await postgres.stop();
    },
  };
}

interface Listener {
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

function spawnListener(dir: string, database: Readonly<Record<string, string>>, rpcUrl: string): Listener {
  const log = openSync(join(dir, 'listener.log'), 'a');
  const child = spawn(process.execPath, ['--enable-source-maps', join(DIST, 'src', 'main.js')], {
    env: {
      ...process.env,
      ROLES: 'listener',
      DATA_DIR: join(dir, 'listener'),
      ...database,
      SANDBOX_ETHEREUM_RPC_URL: rpcUrl,
      SECRETS_KEY,
      PORT: '0',
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return {
    process: child,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Measures from the first recorded step, to leave out the start of the process, to the head. */
async function watchRun(url: string, start: () => Listener): Promise<{ seconds: number; megabytes: number }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const cursor = async (): Promise<{ height: number; head: number }> => {
    const { rows } = await client.query<{ height: string; head_height: string }>(
      'select height, head_height from chain_cursor',
    );
    return { height: Number(rows[0]?.height), head: Number(rows[0]?.head_height) };
  };
  const from = (await cursor()).height;
  const listener = start();
  let first: { at: number; height: number } | null = null;
  try {
    for (;;) {
      const { height, head } = await cursor();
      const now = performance.now();
      if (height > from) first ??= { at: now, height };
      if (first !== null && height === head && height > first.height) {
        // Extrapolates to include the first step.
        const seconds = (((now - first.at) / 1000) * (head - from)) / (head - first.height);
        return { seconds, megabytes: residentMegabytes(listener.process.pid ?? 0) };
      }
      await sleep(POLL_MS);
    }
  } finally {
    await listener.stop();
    await client.end();
  }
}

type Ask = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Adds free addresses until the pool holds `total`. */
async function fillPool(ask: Ask, total: number): Promise<void> {
  await ask(
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     select 'sandbox', 'evm', n, 'm/44''/60''/0''/0/' || n, key, key
       from (select count(*) as known from pool_address) pool
      cross join lateral generate_series(known, $1::int - 1) n
      cross join lateral (select '0x' || substr(md5(n::text) || md5('x' || n), 1, 40) as key) made`,
    [total],
  );
  // Otherwise autovacuum does so while a run is measured.
  await ask('vacuum analyze pool_address');
}

/** Creates an intent for each address that will be paid. */
async function assignPaid(ask: Ask): Promise<void> {
  const [merchantId, snapshotId] = [newId('mer_'), newId('prd_')];
  const ids = Array.from({ length: PAID }, () => newId('pi_'));
  await ask(`insert into merchant (id, name) values ($1, 'Bench')`, [merchantId]);
  await ask(`insert into price_round (id, environment, prices) values ($1, 'sandbox', '{}')`, [snapshotId]);
  await ask(
    `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency, network,
       token, chain_ref, token_contract, token_decimals, price_round_id, token_price, token_price_cents, crypto_amount,
       address, created_at, updated_at, expires_at, due_at)
     select given.id, $2, 'sandbox', 'requires_action', 100, 'USD', 'USDC', 'ethereum', 'USDC', token.chain_ref,
            token.contract, 6, $3, '1', 100, 1000000, pool.address, now(), now(), now() + interval '1 day', now() + interval '1 day'
       from unnest($1::text[]) with ordinality as given (id, place)
       join pool_address pool on pool.derivation_index = given.place
       join chain_token token on token.symbol = 'USDC'`,
    [ids, merchantId, snapshotId],
  );
  await ask(`update pool_address set intent_id = intent.id, assigned_at = now() from payment_intent intent
              where intent.address = pool_address.address`);
}

async function untilRegistered(look: () => Promise<unknown[]>, { process: child }: Listener): Promise<void> {
  const deadline = performance.now() + REGISTERED_WITHIN_MS;
  // The table does not exist until the listener has migrated the database.
  while ((await look().catch(() => [])).length === 0) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('The listener did not register.');
    await sleep(50);
  }
}

function residentMegabytes(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / MB;
}

function urlOf(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
