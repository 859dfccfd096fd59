import { z } from 'zod';
import { bookPrice } from '../domain/market-price.js';
import { OpenMarkets, UnknownMarket } from './open-markets.js';
import type { PriceHttp } from './price-http.js';
import { FRESH_MS, type PriceSource, type SourceAnswer, type SourceAnswers, SourceFault } from './price-source.js';

/** Kraken's own names: asked for `ETHUSD`, it answers under `XETHZUSD`. */
const PAIRS: Readonly<Record<string, string>> = {
  ETH: 'XETHZUSD',
  POL: 'POLUSD',
  BNB: 'BNBUSD',
  SOL: 'SOLUSD',
  TRX: 'TRXUSD',
  USDC: 'USDCUSD',
  USDT: 'USDTZUSD',
};

const side = z.tuple([z.string()], z.string());
const book = z.object({ a: side, b: side });
/** The status is always 200: `error` says what went wrong. */
const ticker = z.object({ error: z.array(z.string()), result: z.record(z.string(), z.unknown()).optional() });

/**
 * The middle of Kraken's books, all in one request: `GET /0/public/Ticker?pair=...`. Its last trade carries no time and may
 * be hours old, the best offers are those of now. Source: docs.kraken.com, "Get Ticker Information".
 */
export class KrakenSource implements PriceSource {
  readonly name = 'kraken';
  readonly quotedIn = 'USD';
  readonly role = 'market';
  private readonly pairs = new OpenMarkets(PAIRS);

  constructor(private readonly http: PriceHttp) {}

  lists(token: string): boolean {
    return this.pairs.lists(token);
  }

  maxAgeMs(): number {
    return FRESH_MS;
  }

  ask(tokens: readonly string[]): Promise<SourceAnswers> {
    return this.pairs.answers(tokens, (pairs) => this.askAbout(pairs));
  }

  close(): Promise<void> {
    return this.http.close();
  }

  private async askAbout(pairs: readonly string[]): Promise<SourceAnswers> {
    const { json } = await this.http.get({ path: '/0/public/Ticker', query: { pair: pairs.join(',') } });
    const { data } = ticker.safeParse(json);
    if (data === undefined) throw new SourceFault('no_answer', 'kraken answered something that is no ticker.');
    if (data.error.length > 0) throw faultOf(data.error.join(', '));
    return new Map(Object.entries(data.result ?? {}).map(([pair, offers]) => [pair, answerOf(offers)]));
  }
}

function answerOf(offers: unknown): SourceAnswer {
  const { data } = book.safeParse(offers);
  if (data === undefined) return { silence: 'not_a_price' };
  const price = bookPrice(data.b[0], data.a[0]);
  return 'silence' in price ? price : { ...price, observedAtMs: null };
}

function faultOf(errors: string): Error {
  if (/unknown asset pair/i.test(errors)) return new UnknownMarket();
  if (/rate limit|too many requests/i.test(errors)) {
    return new SourceFault('rate_limited', 'kraken asks for fewer requests.');
  }
  return new SourceFault('no_answer', 'kraken answered with an error.');
}
