import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment, Network } from '../domain/network.js';
import { type Asset, assetOf } from '../domain/posting.js';
import type { Tenant } from '../domain/tenant.js';
import { type Tx, sql, sqlOne } from '../platform/database/database.js';
import type { AccountKind } from './account.entity.js';
import { systemAccount } from './system-accounts.js';

/** The token a pocket holds. */
export interface PocketToken {
  readonly environment: Environment;
  readonly network: Network;
  readonly contract: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly minorUnitExponent: number;
}

/** The two accounts between which a deposit is booked. */
export interface DepositAccounts {
  readonly asset: Asset;
  readonly chainAccountId: number;
  readonly availableAccountId: number;
}

/** A pocket that is locked against other withdrawals until the transaction ends, with its balance. */
export interface LockedPocket extends PocketToken {
  readonly id: string;
  /** Final money that is not held for withdrawals, in smallest units. */
  readonly available: bigint;
  readonly availableAccountId: number;
  readonly heldAccountId: number;
}

/** Merchants whose pockets are opened in one batch of statements. */
const MERCHANTS_AT_A_TIME = 1_000;

/** Opens pockets and finds their accounts. The contract identifies a pocket's asset; the symbol is for display. */
@Injectable()
export class PocketsService {
  /** Opens a pocket of each of these tokens for every merchant that has none. */
  async openForAllMerchants(tx: Tx, tokens: readonly PocketToken[]): Promise<void> {
    let after = '';
    for (;;) {
      const merchants = await sql<{ id: string }>(tx, `select id from merchant where id > $1 order by id limit $2`, [
        after,
        MERCHANTS_AT_A_TIME,
      ]);
      const last = merchants.at(-1);
      if (last === undefined) return;
      await openMissing(
        tx,
        merchants.map((merchant) => merchant.id),
        tokens,
      );
      after = last.id;
    }
  }

  /** Opens a pocket of each of these tokens for one merchant. */
  async openForMerchant(tx: Tx, merchantId: string, tokens: readonly PocketToken[]): Promise<void> {
    await openMissing(tx, [merchantId], tokens);
  }

  /** Locks a pocket of the tenant against other withdrawals, but not against deposits. Null when the tenant has none. */
  async lock(tx: Tx, tenant: Tenant, pocketId: string): Promise<LockedPocket | null> {
    const [pocket] = await sql<PocketRow>(
      tx,
      `select * from pocket where id = $1 and merchant_id = $2 and environment = $3 for no key update`,
      [pocketId, tenant.merchantId, tenant.environment],
    );
    if (pocket === undefined) return null;
    // Read under the lock, so that the balance includes the withdrawal before this one.
    const { balance } = await sqlOne<{ balance: string }>(tx, `select balance from account where id = $1`, [
      pocket.available_account_id,
    ]);
    return {
      id: pocket.id,
      environment: pocket.environment,
      network: pocket.network,
      contract: pocket.token_contract,
      symbol: pocket.token,
      decimals: pocket.token_decimals,
      minorUnitExponent: pocket.minor_unit_exponent,
      available: BigInt(balance),
      availableAccountId: Number(pocket.available_account_id),
      heldAccountId: Number(pocket.held_account_id),
    };
  }

  /** Returns the two accounts of a deposit of `token`. Opens the pocket when it does not exist yet. */
  async depositAccounts(tx: Tx, tenant: Tenant, token: PocketToken): Promise<DepositAccounts> {
    const asset = assetOf(token.network, token.contract);
    let [availableAccountId] = await availableAccounts(tx, tenant, token);
    if (availableAccountId === undefined) {
      await openMissing(tx, [tenant.merchantId], [{ ...token, environment: tenant.environment }]);
      [availableAccountId] = await availableAccounts(tx, tenant, token);
    }
    if (availableAccountId === undefined) throw new Error(`The pocket of ${asset} could not be opened.`);
    return { asset, chainAccountId: await systemAccount(tx, 'chain', tenant.environment, asset), availableAccountId };
  }
}

interface PocketRow {
  id: string;
  environment: Environment;
  network: Network;
  token: string;
  token_contract: string;
  token_decimals: number;
  minor_unit_exponent: number;
  available_account_id: string;
  held_account_id: string;
}

/** Returns the id of the available account of the merchant's pocket, if there is one. */
async function availableAccounts(tx: Tx, tenant: Tenant, token: PocketToken): Promise<number[]> {
  const rows = await sql<{ available_account_id: string }>(
    tx,
    `select available_account_id from pocket
      where merchant_id = $1 and environment = $2 and network = $3 and token_contract = $4`,
    [tenant.merchantId, tenant.environment, token.network, contractOf(token)],
  );
  return rows.map((row) => Number(row.available_account_id));
}

/** A pocket to open. */
interface MissingPocket {
  readonly merchantId: string;
  readonly token: PocketToken;
}

/** Opens the missing pockets of these merchants and tokens, in three statements. Safe to run concurrently. */
async function openMissing(tx: Tx, merchantIds: readonly string[], tokens: readonly PocketToken[]): Promise<void> {
  for (const { decimals, minorUnitExponent, ...token } of tokens) {
    if (Number.isInteger(decimals) && Number.isInteger(minorUnitExponent)) continue;
    throw new Error(`A pocket of ${assetOf(token.network, token.contract)} needs its decimals.`);
  }
  const missing = await missingPockets(tx, merchantIds, tokens);
  if (missing.length === 0) return;
  await openAccounts(tx, missing);
  await insertPockets(tx, missing);
}

async function missingPockets(
  tx: Tx,
  merchantIds: readonly string[],
  tokens: readonly PocketToken[],
): Promise<MissingPocket[]> {
  const rows = await sql<{ merchant_id: string; nth: string }>(
    tx,
    `select merchant.id as merchant_id, token.nth
       from unnest($1::text[]) as merchant (id)
            cross join unnest($2::text[], $3::text[], $4::text[]) with ordinality
              as token (environment, network, contract, nth)
      where not exists (
        select from pocket
         where merchant_id = merchant.id and environment = token.environment and network = token.network
           and token_contract = token.contract)
      order by merchant.id, token.nth`,
    [
      merchantIds,
      tokens.map((token) => token.environment),
      tokens.map((token) => token.network),
      tokens.map(contractOf),
    ],
  );
  return rows.flatMap(({ merchant_id: merchantId, nth }) => {
    const token = tokens[Number(nth) - 1];
    return token === undefined ? [] : [{ merchantId, token }];
  });
}

async function openAccounts(tx: Tx, missing: readonly MissingPocket[]): Promise<void> {
  await sql(
    tx,
    `insert into account (kind, environment, asset, merchant_id, balance)
     select kind, environment, asset, merchant_id, 0
       from unnest($1::text[], $2::text[], $3::text[]) as missing (merchant_id, environment, asset)
            cross join unnest($4::text[]) as kind
     on conflict do nothing`,
    [
      missing.map(({ merchantId }) => merchantId),
      missing.map(({ token }) => token.environment),
      missing.map(({ token }) => assetOf(token.network, token.contract)),
      ['pocket_available', 'pocket_held'] satisfies AccountKind[],
    ],
  );
}

async function insertPockets(tx: Tx, missing: readonly MissingPocket[]): Promise<void> {
  await sql(
    tx,
    `insert into pocket (id, merchant_id, environment, network, token, token_contract, token_decimals,
       minor_unit_exponent, available_account_id, held_account_id)
     select missing.id, missing.merchant_id, missing.environment, network, symbol, contract, decimals, exponent,
            available.id, held.id
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[])
              as missing (id, merchant_id, environment, network, asset, symbol, contract, decimals, exponent)
            join account available on available.kind = 'pocket_available'
              and available.environment = missing.environment and available.asset = missing.asset
              and available.merchant_id = missing.merchant_id
            join account held on held.kind = 'pocket_held'
              and held.environment = missing.environment and held.asset = missing.asset
              and held.merchant_id = missing.merchant_id
     on conflict (merchant_id, environment, network, token_contract) do nothing`,
    [
      missing.map(() => newId('pkt_')),
      missing.map(({ merchantId }) => merchantId),
      missing.map(({ token }) => token.environment),
      missing.map(({ token }) => token.network),
      missing.map(({ token }) => assetOf(token.network, token.contract)),
      missing.map(({ token }) => token.symbol),
      missing.map(({ token }) => contractOf(token)),
      missing.map(({ token }) => token.decimals),
      missing.map(({ token }) => token.minorUnitExponent),
    ],
  );
}

/** The contract as its asset spells it. */
function contractOf({ network, contract }: PocketToken): string {
  return assetOf(network, contract).slice(network.length + 1);
}
