import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { Database, rows } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { PriceVerdict } from '../domain/price-verdict.js';
import { verdictIn } from './price-evidence.js';
import { PriceSnapshot } from './price-snapshot.entity.js';
import { findNewestSnapshot, newestSnapshots } from './price-snapshots.sql.js';

/** A price older than this is stale. */
const FRESH_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;
const CACHE_TTL_MS = 500;

/** The price of a quote, and the snapshot that is its evidence. */
export interface CurrentPrice {
  readonly snapshotId: string;
  /** USD for one whole token, decimal string. */
  readonly price: string;
}

type Snapshot = RowOf<typeof findNewestSnapshot>;

/** The evidence of a quote. */
export interface QuoteEvidence {
  /** When the snapshot was begun. */
  readonly pricedAt: Date;
  readonly verdict: PriceVerdict;
}

/** The current prices of one environment. */
export interface PriceState extends Omit<RowOf<typeof newestSnapshots>, 'prices'> {
  readonly isFresh: boolean;
  /** Tokens of the newest snapshot, each with its price in USD or null. */
  readonly prices: ReadonlyMap<string, string | null>;
}

/** A snapshot as staff see it. */
export interface PriceEvidenceState {
  readonly id: string;
  readonly ageSeconds: number;
  /** Whether its prices may be quoted. */
  readonly isFresh: boolean;
  /** By token. */
  readonly verdicts: ReadonlyMap<string, PriceVerdict>;
}

/** Reads price snapshots; every process does. */
@Injectable()
export class PricingService {
  private readonly newest = new Map<Environment, { readAt: number; snapshot: Snapshot | null }>();

  constructor(private readonly database: Database) {}

  /**
   * Returns the price of a token by the newest snapshot. A caller in a transaction passes it, so that no second
   * connection is needed.
   * @throws DomainError `price_unavailable` when there is none, or it is stale.
   */
  async current(
    environment: Environment,
    token: string,
    em: EntityManager = this.database.em(),
  ): Promise<CurrentPrice> {
    // A missing price is read again: the first snapshot that has it may be newer than what is kept here.
    const found = priceIn(this.kept(environment), token) ?? priceIn(await this.newestSnapshot(environment, em), token);
    if (found === null) throw unavailable(token);
    return found;
  }

  /** Returns the verdict on a token in a snapshot; a snapshot that a quote refers to is never deleted. */
  async evidence(snapshotId: string, token: string): Promise<QuoteEvidence> {
    const snapshot = await this.database.em().findOne(PriceSnapshot, snapshotId);
    const stored = snapshot?.prices[token];
    if (snapshot === null || stored === undefined) {
      throw new Error(`The price snapshot ${snapshotId} has no price of ${token}.`);
    }
    return { pricedAt: snapshot.createdAt, verdict: verdictIn(stored) };
  }

  /** Returns the newest snapshot of every environment that has chains. */
  async states(): Promise<PriceState[]> {
    const found = await this.database.rows(newestSnapshots);
    return found.map(({ environment, ageSeconds, prices }) => ({
      environment,
      ageSeconds,
      isFresh: ageSeconds !== null && ageSeconds * 1000 <= FRESH_MS,
      prices: new Map(Object.entries(prices ?? {}).map(([token, { price }]) => [token, price])),
    }));
  }

  /** Returns the newest snapshot of an environment with what every source said; null before the first one. */
  async snapshot(environment: Environment): Promise<PriceEvidenceState | null> {
    const [found] = await this.database.rows(findNewestSnapshot(environment));
    if (found === undefined) return null;
    const ageSeconds = Math.max(0, Number(found.ageMs) / 1000);
    const verdicts = Object.entries(found.prices).map(([token, stored]) => [token, verdictIn(stored)] as const);
    return { id: found.id, ageSeconds, isFresh: ageSeconds * 1000 <= FRESH_MS, verdicts: new Map(verdicts) };
  }

  private kept(environment: Environment): Snapshot | null {
    const known = this.newest.get(environment);
    return known !== undefined && performance.now() - known.readAt < CACHE_TTL_MS ? known.snapshot : null;
  }

  private async newestSnapshot(environment: Environment, em: EntityManager): Promise<Snapshot | null> {
    const readAt = performance.now();
    // Each caller reads on its own connection: a read that others wait for may itself wait for a connection of theirs.
    const snapshot = await readNewest(environment, em);
    this.newest.set(environment, { readAt, snapshot });
    return snapshot;
  }
}

function priceIn(snapshot: Snapshot | null, token: string): CurrentPrice | null {
  const price = snapshot?.prices[token]?.price ?? null;
  return snapshot === null || price === null ? null : { snapshotId: snapshot.id, price };
}

async function readNewest(environment: Environment, em: EntityManager): Promise<Snapshot | null> {
  const [snapshot] = await rows(em, findNewestSnapshot(environment));
  return snapshot !== undefined && Number(snapshot.ageMs) <= FRESH_MS ? snapshot : null;
}

function unavailable(token: string): DomainError {
  return new DomainError('price_unavailable', `No fresh price of ${token} is available; try again shortly.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
