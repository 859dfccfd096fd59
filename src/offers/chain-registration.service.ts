import { Injectable } from '@nestjs/common';
import type { BlockHeader, ChainIdentity } from '../chains/chain.js';
import type { NetworkProfile, TokenProfile } from '../chains/networks.js';
import { Database, row, rows, type Tx } from '../platform/database/database.js';
import { Chain } from './chain.entity.js';
import { isDevelopmentChain } from './development-chain.js';
import {
  activateChain,
  disableTokens,
  insertCursor,
  insertStart,
  lockCursor,
  markSeen,
  orphanSeen,
  retireChain,
  setBackToFinal,
  takeRegistrationTurn,
  writeTokens,
} from './chain-registration.sql.js';

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
   * Only a local development chain may return with another genesis: it replaces the registered one.
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
  const { environment, network, addressFamily } = profile;
  // On tron a block's id begins with its height, 0.
  if (addressFamily === 'tron') return `${environment}-${network}-${identity.genesisHash.slice(16, 32)}`;
  if (addressFamily !== 'evm') return `${environment}-${network}-${identity.genesisHash.slice(0, 16)}`;
  return `${environment}-${network}-${identity.chainId}-${identity.genesisHash.slice(2, 10)}`;
}

/** The reason of a token that left the catalogue: nothing is wrong with it. */
export const NO_LONGER_LISTED = 'no longer listed';

/** A registered chain, for the registration of another one in its place. */
type KnownChain = Pick<Chain, 'id' | 'chainId' | 'active'>;

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
        if (!registration.mayReplace || !isSameButRestarted(registration, active))
          throw new ForeignChain(profile, active.id, chainRef);
        await retire(tx, active.id);
      }
      await writeChain(tx, chainRef, registration);
      const offered = await offerTokens(tx, chainRef, registration);
      await rows(tx, insertStart(chainRef, registration.start));
      await rows(tx, insertCursor(chainRef, registration.start));
      if (known.some((chain) => chain.id === chainRef && !chain.active)) await setBack(tx, chainRef);
      return { chainRef, offered };
    });
  }
}

/**
 * Whether a development chain came back with another genesis. On EVM networks it keeps its chain id; elsewhere the genesis is
 * the chain id.
 */
function isSameButRestarted({ profile, identity }: ChainRegistration, { chainId }: KnownChain): boolean {
  if (profile.addressFamily === 'evm') return chainId === identity.chainId;
  return isDevelopmentChain({ ...profile, chainId });
}

/**
 * Returns the active chain of the network, and the one to register if it was registered before. No other registration
 * changes them meanwhile.
 */
async function knownChains(tx: Tx, profile: NetworkProfile, chainRef: string): Promise<readonly KnownChain[]> {
  await row(tx, takeRegistrationTurn(profile));
  const { environment, network } = profile;
  return tx.find(
    Chain,
    { environment, network, $or: [{ active: true }, { id: chainRef }] },
    { fields: ['chainId', 'active'], disableIdentityMap: true },
  );
}

/**
 * Retires a development chain that lost its state: payments that were not final are lost, and their intents are settled
 * again.
 */
async function retire(tx: Tx, chainRef: string): Promise<void> {
  await rows(tx, retireChain(chainRef));
  // So that no deposit is added between the marks and the deposits.
  await rows(tx, lockCursor(chainRef));
  await rows(tx, markSeen(chainRef));
  await rows(tx, orphanSeen(chainRef));
}

/**
 * Sets back a chain that returns: blocks that were not final when it was retired are read again, because their deposits
 * were orphaned then. A cursor whose final block is not recorded stays: it has not reached that block yet, so
 * everything it recorded was final.
 */
async function setBack(tx: Tx, chainRef: string): Promise<void> {
  await rows(tx, setBackToFinal(chainRef));
}

async function writeChain(tx: Tx, chainRef: string, { profile, identity }: ChainRegistration): Promise<void> {
  await rows(
    tx,
    activateChain({
      id: chainRef,
      environment: profile.environment,
      network: profile.network,
      family: profile.addressFamily,
      chainId: identity.chainId,
      genesisHash: identity.genesisHash,
      confirmations: profile.usualFinalityDepth,
      quietGraceMs: profile.quietGraceMs,
    }),
  );
}

/**
 * Puts the listed tokens on offer and disables those that are no longer listed. Decimals stay as first registered,
 * since quotes and pockets count in them: a token that is listed with others now is disabled. Returns the tokens on
 * offer.
 */
async function offerTokens(
  tx: Tx,
  chainRef: string,
  { profile, disabledTokens }: ChainRegistration,
): Promise<readonly TokenProfile[]> {
  // All of them first: a symbol that moves to another contract must be free before it is written there.
  await rows(tx, disableTokens(chainRef, NO_LONGER_LISTED));
  const listed = profile.tokens.map((token) => ({
    ...token,
    disabledReason: disabledTokens.get(token.contract) ?? null,
    minimumAmount: token.minimumAmount ?? null,
  }));
  const written = await rows(tx, writeTokens(chainRef, listed));
  const enabled = new Set(written.filter((token) => token.enabled).map((token) => token.contract));
  return profile.tokens.filter((token) => enabled.has(token.contract));
}
