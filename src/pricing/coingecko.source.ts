import { z } from 'zod';
import type { PriceHttp } from './price-http.js';
import { epochMs, type PriceSource, type SourceAnswer, type SourceAnswers, SourceFault } from './price-source.js';

/** POL has its own id, not the former one of MATIC. */
const IDS: Readonly<Record<string, string>> = {
  ETH: 'ethereum',
  POL: 'polygon-ecosystem-token',
  BNB: 'binancecoin',
  SOL: 'solana',
  TRX: 'tron',
  USDC: 'usd-coin',
  USDT: 'tether',
};

/** It publishes once a minute and caches for another: at 60 s, every second answer would be refused. */
const MAX_AGE_MS = 120_000;

/** Both are JSON numbers, read as text. */
const coin = z.object({ usd: z.string(), last_updated_at: z.string() });
const coins = z.record(z.string(), z.unknown());

/**
 * CoinGecko's average over many markets, all in one request: `GET /simple/price`. Works without a key at a few requests a
 * minute, with a demo key at 100. Source: docs.coingecko.com, "Coin price by IDs".
 */
export class CoinGeckoSource implements PriceSource {
  readonly name = 'coingecko';
  readonly quotedIn = 'USD';
  readonly role = 'market';

  constructor(
    private readonly http: PriceHttp,
    private readonly apiKey: string | null,
  ) {}

  lists(token: string): boolean {
    return IDS[token] !== undefined;
  }

  maxAgeMs(): number {
    return MAX_AGE_MS;
  }

  async ask(tokens: readonly string[]): Promise<SourceAnswers> {
    const { json } = await this.http.get({
      path: '/api/v3/simple/price',
      query: {
        ids: tokens.map((token) => IDS[token]).join(','),
        vs_currencies: 'usd',
        include_last_updated_at: 'true',
        precision: 'full',
      },
      ...(this.apiKey !== null && { headers: { 'x-cg-demo-api-key': this.apiKey } }),
    });
    const { data } = coins.safeParse(json);
    if (data === undefined) throw new SourceFault('no_answer', 'coingecko answered something that is no price list.');
    return new Map(tokens.flatMap((token) => entryOf(token, data[IDS[token] ?? ''])));
  }

  close(): Promise<void> {
    return this.http.close();
  }
}

function entryOf(token: string, entry: unknown): [string, SourceAnswer][] {
  if (entry === undefined) return [];
  const { data } = coin.safeParse(entry);
  const observedAtMs = data === undefined ? null : epochMs(data.last_updated_at);
  if (data === undefined || observedAtMs === null) return [[token, { silence: 'not_a_price' }]];
  return [[token, { value: data.usd, observedAtMs }]];
}
