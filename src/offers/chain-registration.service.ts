import { Injectable } from '@nestjs/common';
import type { BlockHeader, ChainIdentity } from '../chains/chain.js';
import type { NetworkProfile, TokenProfile } from '../chains/networks.js';
import { Database, type Tx, sql, sqlOne } from '../platform/database/database.js';

/** The node serves another chain than the one we have books for. */
export class ForeignChain extends Error {
  constructor(profile: NetworkProfile, known: string, found: string) {
    super(
      `The ${profile.environment} node of ${profile.network} serves the chain ${found}, but this database holds the ` +
        `books of ${known}. Point the RPC URL at that chain again.`,
    );
    this.name = 'ForeignChain';
  }
}

/** The chain that the listener found when it connected. */
export interface ChainRegistration {
  readonly profile: NetworkProfile;
  readonly identity: ChainIdentity;
  /** A final block: where the reading of a new chain begins. */
  readonly start: BlockHeader;
  /** Contracts that failed the check against the chain, with the reason. */
  readonly disabledTokens: ReadonlyMap<string, string>;
  /**
   * Only a local development chain may return with another genesis (never another chain id): it replaces the registered
   * one.
   */
  readonly mayReplace: boolean;
}

/** The chain as it is registered now. */
export interface RegisteredChain {
  readonly chainRef: string;
  /** The listed tokens on offer: those that neither the chain nor the books contradict. */
  readonly offered: readonly TokenProfile[];
}

/** The id of a chain's row: readable, and the same at every start. */
function chainRefOf(profile: NetworkProfile, identity: ChainIdentity): string {
  return `${profile.environment}-${profile.network}-${identity.chainId}-${identity.genesisHash.slice(2, 10)}`;
}

/** The reason of a token that left the catalogue: nothing is wrong with it. */
export const NO_LONGER_LISTED = 'no longer listed';

/** A wrong exponent settles an intent for dust: what the books count in must be what the catalogue lists. */
const SAME_UNITS = '(known.decimals, known.minor_unit_exponent) = (excluded.decimals, excluded.minor_unit_exponent)';

/** Registers which chain a network is, and what it offers. */
@Injectable()
export class ChainRegistrationService {
  constructor(private readonly database: Database) {}

  /**
   * Registers the chain, or finds it again. A new cursor begins at the newest final block: addresses that do not exist
   * yet cannot have been paid before.
   * @throws ForeignChain when another chain is active and may not be replaced.
   */
  async register(registration: ChainRegistration): Promise<RegisteredChain> {
    const { profile, identity } = registration;
    const chainRef = chainRefOf(profile, identity);
    return this.database.transaction(async (tx) => {
      const known = await knownChains(tx, profile, chainRef);
      const active = known.find((chain) => chain.active);
      if (active !== undefined && active.id !== chainRef) {
        const isRestarted = registration.mayReplace && active.chain_id === identity.chainId;
        if (!isRestarted) throw new ForeignChain(profile, active.id, chainRef);
        await retire(tx, active.id);
      }
      await writeChain(tx, chainRef, registration);
      const offered = await writeTokens(tx, chainRef, registration);
      await writeStart(tx, chainRef, registration.start);
      if (known.some((chain) => chain.id === chainRef && !chain.active)) await setBack(tx, chainRef);
      return { chainRef, offered };
    });
  }
}

interface KnownChain {
  id: string;
  chain_id: string;
  active: boolean;
}

/** Returns the active chain of the network, and the one to register if it was registered before; both are locked. */
async function knownChains(tx: Tx, { environment, network }: NetworkProfile, chainRef: string): Promise<KnownChain[]> {
  // Not a lock on rows: at a first start there is none yet, and several processes may register the chain at once.
  await sqlOne(tx, `select pg_advisory_xact_lock(hashtextextended('chain:' || $1 || ':' || $2, 0))`, [
    environment,
    network,
  ]);
  return sql(
    tx,
    `select id, chain_id, active from chain where environment = $1 and network = $2 and (active or id = $3)`,
    [environment, network, chainRef],
  );
}

/**
 * Retires a development chain that lost its state: payments that were not final are lost, and their intents are settled
 * again.
 */
async function retire(tx: Tx, chainRef: string): Promise<void> {
  await sql(tx, `update chain set active = false where id = $1`, [chainRef]);
  // Writers of deposits lock the cursor of their chain, so none is added between the marks and the deposits.
  await sql(tx, `select from chain_cursor where chain_ref = $1 for update`, [chainRef]);
  await sql(
    tx,
    `insert into dirty_intent (intent_id)
     select distinct intent_id from deposit
      where chain_ref = $1 and status = 'seen' and intent_id is not null order by intent_id
     on conflict (intent_id) do update set marked_at = now(), quarantined_at = null, failures = 0`,
    [chainRef],
  );
  await sql(tx, `update deposit set status = 'orphaned' where chain_ref = $1 and status = 'seen'`, [chainRef]);
}

/**
 * Sets back a chain that returns: blocks that were not final when it was retired are read again, because their deposits
 * were orphaned then. A cursor whose final block is not recorded stays: it has not reached that block yet, so
 * everything it recorded was final.
 */
async function setBack(tx: Tx, chainRef: string): Promise<void> {
  await sql(
    tx,
    `with back as (
       update chain_cursor set height = final.height, hash = final.hash, block_time = final.block_time
         from chain_block final
        where chain_cursor.chain_ref = $1 and final.chain_ref = $1 and final.height = chain_cursor.finalized_height
        returning chain_cursor.height)
     delete from chain_block using back where chain_ref = $1 and chain_block.height > back.height`,
    [chainRef],
  );
}

async function writeChain(tx: Tx, chainRef: string, registration: ChainRegistration): Promise<void> {
  const { profile, identity } = registration;
  await sql(
    tx,
    `insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, quiet_grace_ms, active)
     values ($1, $2, $3, $4, $5, $6, $7, $8, true)
     on conflict (id) do update set confirmations = excluded.confirmations,
       quiet_grace_ms = excluded.quiet_grace_ms, active = true`,
    [
      chainRef,
      profile.environment,
      profile.network,
      profile.addressFamily,
      identity.chainId,
      identity.genesisHash,
      profile.usualFinalityDepth,
      profile.quietGraceMs,
    ],
  );
}

/**
 * Puts the listed tokens on offer and disables those that are no longer listed. Decimals stay as first registered,
 * since quotes and pockets count in them: a token that is listed with others now is disabled. Returns the tokens on
 * offer.
 */
async function writeTokens(
  tx: Tx,
  chainRef: string,
  { profile, disabledTokens }: ChainRegistration,
): Promise<readonly TokenProfile[]> {
  // All of them first: a symbol that moves to another contract must be free before it is written there.
  await sql(tx, `update chain_token set enabled = false, disabled_reason = $2 where chain_ref = $1`, [
    chainRef,
    NO_LONGER_LISTED,
  ]);
  const listed = profile.tokens;
  const written = await sql<{ contract: string; enabled: boolean }>(
    tx,
    `insert into chain_token as known
       (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled, disabled_reason)
     select $1, contract, symbol, decimals, exponent, reason is null, reason
       from unnest($2::text[], $3::text[], $4::int[], $5::int[], $6::text[])
         as listed (contract, symbol, decimals, exponent, reason)
     on conflict (chain_ref, contract) do update
       set symbol = excluded.symbol,
           enabled = excluded.enabled and ${SAME_UNITS},
           disabled_reason = case when ${SAME_UNITS} then excluded.disabled_reason
             else format('registered with %s decimals and minor unit exponent %s, listed with %s and %s',
               known.decimals, known.minor_unit_exponent, excluded.decimals, excluded.minor_unit_exponent) end
     returning contract, enabled`,
    [
      chainRef,
      listed.map((token) => token.contract),
      listed.map((token) => token.symbol),
      listed.map((token) => token.decimals),
      listed.map((token) => token.minorUnitExponent),
      listed.map((token) => disabledTokens.get(token.contract) ?? null),
    ],
  );
  const enabled = new Set(written.filter((row) => row.enabled).map((row) => row.contract));
  return listed.filter((token) => enabled.has(token.contract));
}

async function writeStart(tx: Tx, chainRef: string, start: BlockHeader): Promise<void> {
  await sql(
    tx,
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time)
     select $1, $2, $3, $4, $5 where not exists (select from chain_cursor where chain_ref = $1)
     on conflict do nothing`,
    [chainRef, start.height, start.hash, start.parentHash, start.time],
  );
  await sql(
    tx,
    `insert into chain_cursor (chain_ref, height, hash, block_time, head_height, finalized_height, synced_at, epoch)
     values ($1, $2, $3, $4, $2, $2, now(), 0) on conflict (chain_ref) do nothing`,
    [chainRef, start.height, start.hash, start.time],
  );
}
