import { z } from 'zod';
import type { PriceHttp } from './price-http.js';
import { FRESH_MS, type PriceSource, type SourceAnswer, type SourceAnswers, SourceFault } from './price-source.js';

const NOT_FOUND = 404;

/** There is no USDC-USD, because Coinbase treats them as the same, and no TRX-USD: TRX is not traded there. */
const PRODUCTS: Readonly<Record<string, string>> = {
  ETH: 'ETH-USD',
  POL: 'POL-USD',
  BNB: 'BNB-USD',
  SOL: 'SOL-USD',
  USDT: 'USDT-USD',
};

/** `time` is when the last trade, at `price`, took place. */
const ticker = z.object({ price: z.string(), time: z.iso.datetime({ offset: true }) });

/**
 * The last trade on Coinbase Exchange: `GET /products/{id}/ticker`, a request per token, since there is none for several.
 * Source: docs.cdp.coinbase.com, "Get product ticker".
 */
export class CoinbaseSource implements PriceSource {
  readonly name = 'coinbase';
  readonly quotedIn = 'USD';
  readonly role = 'market';

  constructor(private readonly http: PriceHttp) {}

  lists(token: string): boolean {
    return PRODUCTS[token] !== undefined;
  }

  maxAgeMs(): number {
    return FRESH_MS;
  }

  /**
   * One product that cannot be read does not affect the others. Fails when none can be read, or the source limits the
   * rate.
   */
  async ask(tokens: readonly string[]): Promise<SourceAnswers> {
    const asked = await Promise.all(
      tokens.map(async (token) => [token, await this.askOne(token).catch(asFault)] as const),
    );
    const faults = asked.flatMap(([, answer]) => (answer instanceof SourceFault ? [answer] : []));
    const worst = faults.find(({ reason }) => reason === 'rate_limited') ?? faults[0];
    if (worst !== undefined && (worst.reason === 'rate_limited' || faults.length === asked.length)) throw worst;
    return new Map(
      asked.map(([token, answer]) => [token, answer instanceof SourceFault ? { silence: answer.reason } : answer]),
    );
  }

  close(): Promise<void> {
    return this.http.close();
  }

  private async askOne(token: string): Promise<SourceAnswer> {
    const { status, json } = await this.http.get({
      path: `/products/${PRODUCTS[token]}/ticker`,
      alsoRead: [NOT_FOUND],
    });
    if (status === NOT_FOUND) return { silence: 'not_listed' };
    const { data } = ticker.safeParse(json);
    return data === undefined ? { silence: 'not_a_price' } : { value: data.price, observedAtMs: Date.parse(data.time) };
  }
}

function asFault(error: unknown): SourceFault {
  if (error instanceof SourceFault) return error;
  throw error;
}
