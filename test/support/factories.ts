import type { IntentStatus } from '../../src/domain/intent-state.js';
import { newId } from '../../src/domain/ids.js';
import { addressKeyIn } from '../../src/domain/address-form.js';
import {
  type AddressFamily,
  addressFamilyOf,
  type Environment,
  NATIVE_COIN,
  type Network,
} from '../../src/domain/network.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { Database } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { randomHex, unownedKeyIn } from './random-values.js';
import { query } from './sql.js';

// Rows that a spec needs and does not speak about. Each factory fills in what is usual; a spec names what matters to it.

type Row = Readonly<Record<string, SqlParameter>>;

const unownedKey = (network: Network): string => unownedKeyIn(addressFamilyOf(network));

const SECOND = 1000;

async function insert(database: Database, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row);
  const places = columns.map((_, i) => `$${i + 1}`);
  await query(
    database,
    `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`,
    columns.map((column) => row[column] ?? null),
  );
}

/** A merchant, as the caller of one environment. */
export async function aMerchant(database: Database, more: { readonly toleranceBps?: number } = {}): Promise<Tenant> {
  const merchantId = newId('mer_');
  await insert(database, 'merchant', {
    id: merchantId,
    name: 'Acme',
    underpayment_tolerance_bps: more.toleranceBps ?? 0,
  });
  return { merchantId, environment: 'sandbox' };
}

export interface SeededChain {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  /** Symbol, contract, decimals and minor units of the one token it offers: USDC, or its own coin. */
  readonly symbol: string;
  readonly contract: string;
  readonly decimals: number;
  readonly minorUnitExponent: number;
}

export interface ChainTraits {
  readonly environment?: Environment;
  readonly network?: Network;
  readonly decimals?: number;
  /** Symbol of the chain's own coin, which it offers in the place of USDC. */
  readonly coin?: string;
  readonly height?: number;
  readonly quietGraceMs?: number;
}

/** A chain that offers USDC, or its own coin, read up to its head a moment ago. */
export async function aChain(database: Database, traits: ChainTraits = {}): Promise<SeededChain> {
  const { environment = 'sandbox', network = 'polygon', coin, height = 100, quietGraceMs = 0 } = traits;
  const token =
    coin === undefined
      ? { symbol: 'USDC', contract: unownedKey(network), decimals: traits.decimals ?? 6, minorUnitExponent: 2 }
      : { symbol: coin, contract: NATIVE_COIN, decimals: 18, minorUnitExponent: 8 };
  const genesis = randomHex(32);
  const chainRef = `${environment}-${network}-31337-${genesis.slice(2, 10)}`;
  await insert(database, 'chain', {
    id: chainRef,
    environment,
    network,
    family: addressFamilyOf(network),
    chain_id: '31337',
    genesis_hash: genesis,
    confirmations: 3,
    quiet_grace_ms: quietGraceMs,
    active: true,
  });
  await insert(database, 'chain_token', {
    chain_ref: chainRef,
    contract: token.contract,
    symbol: token.symbol,
    decimals: token.decimals,
    minor_unit_exponent: token.minorUnitExponent,
    enabled: true,
  });
  const now = new Date();
  await insert(database, 'chain_cursor', {
    chain_ref: chainRef,
    height,
    hash: randomHex(32),
    block_time: now,
    head_height: height,
    finalized_height: Math.max(0, height - 3),
    synced_at: now,
    epoch: 1,
  });
  return { chainRef, environment, network, ...token };
}

/** Moves a chain's cursor: everything up to `moment` has been read, with a block that is younger. */
export async function readUpTo(database: Database, { chainRef }: SeededChain, moment: Date): Promise<void> {
  const values = [chainRef, new Date(moment.getTime() + 1)];
  await query(database, `update chain_cursor set block_time = $2, synced_at = $2 where chain_ref = $1`, values);
}

/** Files of tests share a process, and so this number. Specs that choose indices themselves stay below, or begin at 500,000. */
let derivationIndex = 200_000;

/** Free addresses in the pool; returns them in the order in which they are handed out. */
export async function freeAddresses(
  database: Database,
  count: number,
  environment: Environment = 'sandbox',
  spelling = (address: string): string => address,
  family: AddressFamily = 'evm',
): Promise<string[]> {
  const addresses = Array.from({ length: count }, () => spelling(unownedKeyIn(family)));
  for (const address of addresses) {
    const index = derivationIndex++;
    await insert(database, 'pool_address', {
      environment,
      family,
      derivation_index: index,
      derivation_path: `m/44'/60'/0'/0/${index}`,
      address,
      address_key: addressKeyIn(family, address),
    });
  }
  return addresses;
}

/** A price snapshot newer than every other one: two of the same millisecond have no order. */
export async function aPriceSnapshot(database: Database, prices: Readonly<Record<string, string>> = { USDC: '1' }) {
  const id = newId('prd_');
  const verdicts = Object.entries(prices).map(([token, price]) => [token, { price, sources: [] }]);
  await query(
    database,
    `insert into price_round (id, environment, prices, created_at)
     select $1, 'sandbox', $2, greatest(now(), max(created_at) + interval '1 ms')
       from price_round where environment = 'sandbox'`,
    [id, JSON.stringify(Object.fromEntries(verdicts))],
  );
  return id;
}

export interface SeededIntent {
  readonly id: string;
  readonly tenant: Tenant;
  readonly chain: SeededChain;
  readonly address: string;
  readonly amountCents: number;
  /** The quoted amount, in smallest units. */
  readonly cryptoAmount: bigint;
  readonly expiresAt: Date;
}

export interface IntentTraits {
  readonly tenant: Tenant;
  readonly chain: SeededChain;
  readonly status?: IntentStatus;
  readonly amountCents?: number;
  readonly toleranceBps?: number;
  /** Seconds from now; negative when its time has come already. */
  readonly expiresIn?: number;
  /** An address of the pool that no intent has; a new one when absent. */
  readonly address?: string;
}

/** An intent with its address and a quote of one dollar for one whole token. */
export async function anIntent(database: Database, traits: IntentTraits): Promise<SeededIntent> {
  const { tenant, chain, status = 'requires_action', amountCents = 2500, toleranceBps = 0, expiresIn = 3600 } = traits;
  const family = addressFamilyOf(chain.network);
  const [fresh = ''] =
    traits.address === undefined ? await freeAddresses(database, 1, tenant.environment, undefined, family) : [];
  const address = traits.address ?? fresh;
  const id = newId('pi_');
  const expiresAt = new Date(Date.now() + expiresIn * SECOND);
  const createdAt = new Date(expiresAt.getTime() - 3600 * SECOND);
  const cryptoAmount = BigInt(amountCents) * 10n ** BigInt(chain.decimals - 2);
  await insert(database, 'payment_intent', {
    id,
    merchant_id: tenant.merchantId,
    environment: tenant.environment,
    status,
    failure_code: status === 'failed' ? 'underpaid' : null,
    amount_cents: amountCents,
    currency: 'USD',
    settlement_currency: 'USDC',
    network: chain.network,
    token: chain.symbol,
    tolerance_bps: toleranceBps,
    chain_ref: chain.chainRef,
    token_contract: chain.contract,
    token_decimals: chain.decimals,
    price_round_id: await aPriceSnapshot(database, { [chain.symbol]: '1' }),
    token_price: '1',
    token_price_cents: 100,
    crypto_amount: cryptoAmount.toString(),
    address,
    created_at: createdAt,
    updated_at: createdAt,
    expires_at: expiresAt,
    due_at: expiresAt,
    completed_at: status === 'completed' ? createdAt : null,
  });
  await query(database, `update pool_address set intent_id = $1, assigned_at = now() where address = $2`, [
    id,
    address,
  ]);
  return { id, tenant, chain, address, amountCents, cryptoAmount, expiresAt };
}

/** An intent as it is before it has an address: of 25 dollars in USDC on polygon. Returns its id. */
export async function anIntentWithoutAddress(
  database: Database,
  { merchantId, environment }: Tenant,
  status: IntentStatus = 'requires_action',
): Promise<string> {
  const id = newId('pi_');
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 3600 * SECOND);
  await insert(database, 'payment_intent', {
    id,
    merchant_id: merchantId,
    environment,
    status,
    amount_cents: 2500,
    currency: 'USD',
    settlement_currency: 'USDC',
    network: 'polygon',
    token: 'USDC',
    created_at: now,
    updated_at: now,
    expires_at: expiresAt,
    due_at: expiresAt,
  });
  return id;
}

export interface DepositTraits {
  /** Smallest units; what the intent asks for when absent. */
  readonly amount?: bigint;
  readonly status?: 'seen' | 'confirmed' | 'orphaned';
  readonly blockTime?: Date;
  readonly seenAt?: Date;
  readonly blockHeight?: number;
  readonly blockHash?: string;
  /** Null: an amount of the chain's own coin that no transaction explains. */
  readonly txHash?: string | null;
}

/** A transfer to the intent's address in its token; returns the deposit's id. */
export async function aDeposit(database: Database, intent: SeededIntent, traits: DepositTraits = {}): Promise<string> {
  const { amount = intent.cryptoAmount, status = 'seen', blockTime = new Date(), blockHeight = 99 } = traits;
  const { txHash = randomHex(32) } = traits;
  const id = newId('dep_');
  const [address] = await query<{ id: string }>(database, `select id from pool_address where address = $1`, [
    intent.address,
  ]);
  await insert(database, 'deposit', {
    id,
    chain_ref: intent.chain.chainRef,
    token_contract: intent.chain.contract,
    tx_hash: txHash,
    position: intent.chain.contract === NATIVE_COIN ? -1 : 0,
    from_address: txHash === null ? null : unownedKey(intent.chain.network),
    to_address: intent.address,
    amount: amount.toString(),
    block_height: blockHeight,
    block_hash: traits.blockHash ?? randomHex(32),
    block_time: blockTime,
    seen_at: traits.seenAt ?? new Date(),
    status,
    confirmed_at: status === 'confirmed' ? new Date() : null,
    address_id: address?.id ?? null,
    intent_id: intent.id,
    merchant_id: intent.tenant.merchantId,
  });
  return id;
}

/** Makes a deposit final, or takes it off the chain. */
export async function moveDeposit(database: Database, id: string, status: 'confirmed' | 'orphaned'): Promise<void> {
  await query(
    database,
    `update deposit set status = $2, confirmed_at = case when $2 = 'confirmed' then now() end where id = $1`,
    [id, status],
  );
}
