import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { Database, sql } from '../platform/database/database.js';
import type { PriceVerdict } from './price-round.entity.js';

/** A price older than this is no price. */
const FRESH_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;
const SNAPSHOT_TTL_MS = 500;

/** The price a quote is made with, and the round that is its evidence. */
export interface CurrentPrice {
  readonly roundId: string;
  /** USD for one whole token, decimal string. */
  readonly price: string;
}

interface Round {
  readonly id: string;
  readonly prices: Record<string, PriceVerdict>;
  readonly age_ms: string;
}

/** The newest price round, as every process reads it. */
@Injectable()
export class PricingService {
  private readonly newest = new Map<Environment, { readAt: number; round: Promise<Round | null> }>();

  constructor(private readonly database: Database) {}

  /**
   * The price of a token by the newest round. Whoever is in a transaction passes it, and no second connection is asked for.
   * @throws DomainError `price_unavailable` when there is none, or it is stale.
   */
  async current(
    environment: Environment,
    token: string,
    em: EntityManager = this.database.em(),
  ): Promise<CurrentPrice> {
    const round = await this.newestRound(environment, em);
    const price = round?.prices[token]?.price ?? null;
    if (round === null || price === null) throw unavailable(token);
    return { roundId: round.id, price };
  }

  private async newestRound(environment: Environment, em: EntityManager): Promise<Round | null> {
    const now = performance.now();
    const known = this.newest.get(environment);
    if (known !== undefined && now - known.readAt < SNAPSHOT_TTL_MS) return known.round;
    const round = readNewest(environment, em);
    this.newest.set(environment, { readAt: now, round });
    round.catch(() => this.newest.delete(environment));
    return round;
  }
}

async function readNewest(environment: Environment, em: EntityManager): Promise<Round | null> {
  const [round] = await sql<Round>(
    em,
    `select id, prices, extract(epoch from clock_timestamp() - created_at) * 1000 as age_ms from price_round
      where environment = $1 order by created_at desc limit 1`,
    [environment],
  );
  return round !== undefined && Number(round.age_ms) <= FRESH_MS ? round : null;
}

function unavailable(token: string): DomainError {
  return new DomainError('price_unavailable', `No fresh price of ${token} is available; try again shortly.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
