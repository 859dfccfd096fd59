import { z } from 'zod';
import { bookPrice } from '../domain/market-price.js';
import { OpenMarkets, UnknownMarket } from './open-markets.js';
import type { PriceHttp } from './price-http.js';
import { FRESH_MS, type PriceSource, type SourceAnswer, type SourceAnswers, SourceFault } from './price-source.js';

const BAD_REQUEST = 400;
const INVALID_SYMBOL = '-1121';

/** Quoted in USDT. USDT and USDC are left out: a book in USDT cannot price USDT. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ETH: 'ETHUSDT',
  POL: 'POLUSDT',
  BNB: 'BNBUSDT',
  SOL: 'SOLUSDT',
  TRX: 'TRXUSDT',
};

const books = z.array(z.object({ symbol: z.string(), bidPrice: z.string(), askPrice: z.string() }));
const refusal = z.object({ code: z.string() });

/**
 * The middle of Binance's books, all in one request: `GET /api/v3/ticker/bookTicker?symbols=[...]`. Source:
 * developers.binance.com, Spot API, "Symbol order book ticker".
 */
export class BinanceSource implements PriceSource {
  readonly name = 'binance';
  readonly quotedIn = 'USDT';
  readonly role = 'market';
  private readonly symbols = new OpenMarkets(SYMBOLS);

  constructor(private readonly http: PriceHttp) {}

  lists(token: string): boolean {
    return this.symbols.lists(token);
  }

  maxAgeMs(): number {
    return FRESH_MS;
  }

  ask(tokens: readonly string[]): Promise<SourceAnswers> {
    return this.symbols.answers(tokens, (symbols) => this.askAbout(symbols));
  }

  close(): Promise<void> {
    return this.http.close();
  }

  private async askAbout(symbols: readonly string[]): Promise<SourceAnswers> {
    const { status, json } = await this.http.get({
      path: '/api/v3/ticker/bookTicker',
      query: { symbols: JSON.stringify(symbols) },
      alsoRead: [BAD_REQUEST],
    });
    if (status === BAD_REQUEST) {
      if (refusal.safeParse(json).data?.code === INVALID_SYMBOL) throw new UnknownMarket();
      throw new SourceFault('no_answer', 'binance refused the question.');
    }
    const { data } = books.safeParse(json);
    if (data === undefined) throw new SourceFault('no_answer', 'binance answered something that is no book.');
    return new Map(data.map((book) => [book.symbol, answerOf(book)]));
  }
}

function answerOf({ bidPrice, askPrice }: { bidPrice: string; askPrice: string }): SourceAnswer {
  const price = bookPrice(bidPrice, askPrice);
  return 'silence' in price ? price : { ...price, observedAtMs: null };
}
