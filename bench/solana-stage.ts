import { randomBytes } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { base58 } from '@scure/base';
import { Client } from 'pg';
import { MIGRATIONS, networkProfile, newId, place, startEmbeddedPostgres } from './compiled.ts';
import type { SolanaState } from './solana-node.ts';

const { applyMigrations }: typeof import('../src/platform/database/migrate.js') = await import(
  place('platform/database/migrate.js')
);
const { ENTITIES }: typeof import('../src/app/entities.js') = await import(place('app/entities.js'));
const { ormOptions }: typeof import('../src/platform/database/orm.config.js') = await import(
  place('platform/database/orm.config.js')
);
const { Database }: typeof import('../src/platform/database/database.js') = await import(
  place('platform/database/database.js')
);
const { ChainRegistrationService }: typeof import('../src/offers/chain-registration.service.js') = await import(
  place('offers/chain-registration.service.js')
);

const BATCH = 10_000;
const POOL_MAX = 8;
/** The listed tokens, and the coin. */
const ACCOUNTS_PER_ADDRESS = 3;

/** A key of 32 bytes, as Solana writes it. */
const aKey = (): string => base58.encode(randomBytes(32));

/** The network that the rows read: live lists two tokens. */
export function solanaProfile() {
  const profile = networkProfile('live', 'solana');
  if (profile === null) throw new Error('The catalogue has no solana.');
  return profile;
}

/** Opens the service's access to a database. */
export function openDatabase(url: string): InstanceType<typeof Database> {
  return new Database(new MikroORM(ormOptions({ url, poolMax: POOL_MAX, entities: ENTITIES, migrations: MIGRATIONS })));
}

/** A database with a registered chain and a pool of addresses whose accounts are derived. */
export interface SolanaStage {
  readonly chainRef: string;
  /** Of the database in which nothing was found yet: a new copy each time. */
  freshCopy(): Promise<string>;
  /** The state of the chain: accounts that changed since, spread over the pool. */
  readonly state: SolanaState;
  close(): Promise<void>;
}

/** Sets up the stage in `dir`, with so many addresses, of which `changed` have received something. */
export async function setSolanaStage(dir: string, addresses: number, changed: number): Promise<SolanaStage> {
  const postgres = await startEmbeddedPostgres({ dir, preferredPort: 0, log: () => undefined });
  const urlOf = (database: string): string => Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href;
  const admin = new Client({ connectionString: urlOf('postgres') });
  await admin.connect();
  await admin.query('create database filled');
  const url = urlOf('filled');
  await applyMigrations(url, ENTITIES, MIGRATIONS);
  const database = openDatabase(url);
  const profile = solanaProfile();
  const { chainRef } = await new ChainRegistrationService(database).register({
    profile,
    identity: { chainId: profile.chainId, genesisHash: profile.chainId },
    start: { height: 800, hash: 'block800', parentHash: 'block799', time: new Date() },
    disabledTokens: new Map(),
    mayReplace: false,
  });
  await database.close();
  const paid = await fill(url, chainRef, addresses, changed);
  const mint = profile.tokens[0]?.contract ?? '';
  return {
    chainRef,
    state: { mint, genesisHash: profile.chainId, changed: paid },
    freshCopy: async () => {
      await admin.query('drop database if exists run with (force)');
      await admin.query('create database run template filled');
      return urlOf('run');
    },
    close: async () => {
      await admin.end();
      await postgres.stop();
    },
  };
}

/** Adds the addresses with their accounts. Returns the token accounts that are paid. */
async function fill(
  url: string,
  chainRef: string,
  addresses: number,
  changed: number,
): Promise<SolanaState['changed']> {
  const [usdc = '', usdt = ''] = solanaProfile().tokens.map(({ contract }) => contract);
  const client = new Client({ connectionString: url });
  await client.connect();
  const paid: SolanaState['changed'][number][] = [];
  const every = Math.floor(addresses / changed);
  for (let from = 0; from < addresses; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, addresses - from) }, () => [aKey(), aKey(), aKey()] as const);
    await client.query(
      `with added as (
         insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
         select 'live', 'solana', $2::int + place, 'm/44''/501''/' || ($2::int + place) || '''', owner, owner
           from unnest($3::text[]) with ordinality as given (owner, place)
         returning id, address_key)
       insert into watched_account (chain_ref, account, address_id, token_contract)
       select $1, account, added.id, token
         from unnest($3::text[], $4::text[], $5::text[]) as given (owner, of_usdc, of_usdt)
         join added on added.address_key = given.owner
        cross join lateral (values (owner, 'native'), (of_usdc, $6::text), (of_usdt, $7::text)) as derived (account, token)`,
      [chainRef, from, rows.map(([owner]) => owner), rows.map(([, a]) => a), rows.map(([, , b]) => b), usdc, usdt],
    );
    for (const [nth, [owner, account]] of rows.entries()) {
      if ((from + nth) % every === 0 && paid.length < changed) paid.push({ owner, account, txHash: aSignature() });
    }
  }
  // Otherwise autovacuum does so while a run is measured.
  await client.query('vacuum analyze pool_address, watched_account');
  await client.end();
  return paid;
}

const aSignature = (): string => base58.encode(randomBytes(64));

/** Returns all watched accounts of a database, those of one address together. */
export async function accountsIn(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ account: string }>('select account from watched_account order by address_id');
  await client.end();
  return rows.map(({ account }) => account);
}

/** The requests for balances that a round needs. */
export const requestsOf = (addresses: number): number => Math.ceil((addresses * ACCOUNTS_PER_ADDRESS) / 100);

/** The lease of the listener that is measured. */
export const LEASE = { name: `bench:${newId('req_')}`, epoch: 1 };
