import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type HttpAnswer, listenLocally } from './fake-node.js';

/** The price of a token: as it is written into the answer, and how old it is. */
export interface FakePrice {
  readonly price: string;
  readonly ageMs?: number;
}

type Prices = Readonly<Record<string, string | FakePrice>>;
type Speak = (url: URL, prices: ReadonlyMap<string, Required<FakePrice>>) => HttpAnswer;

/** One public price API as its documentation shows it, with the prices that a spec sets. */
export class FakePriceApi {
  /** Replaces every answer, or those for which it returns one, while it is set. */
  instead: HttpAnswer | ((url: URL) => HttpAnswer | null) | null = null;
  readonly requests: { readonly url: URL; readonly headers: IncomingHttpHeaders }[] = [];
  private prices: Prices = {};

  constructor(private readonly speak: Speak) {}

  /** From now on the API answers, with these prices; tokens that are not named are not listed. */
  says(prices: Prices): void {
    this.prices = prices;
    this.instead = null;
  }

  answer(url: URL, headers: IncomingHttpHeaders): HttpAnswer {
    this.requests.push({ url, headers });
    const prices = Object.entries(this.prices).map(
      ([token, said]) => [token, typeof said === 'string' ? { price: said, ageMs: 0 } : { ageMs: 0, ...said }] as const,
    );
    const instead = typeof this.instead === 'function' ? this.instead(url) : this.instead;
    return instead ?? this.speak(url, new Map(prices));
  }
}

/** The four public price APIs on one local server, each under a path of its own. */
export class PriceFakes {
  readonly coinbase = new FakePriceApi(coinbase);
  readonly kraken = new FakePriceApi(kraken);
  readonly binance = new FakePriceApi(binance);
  readonly coingecko = new FakePriceApi(coingecko);

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async start(): Promise<PriceFakes> {
    const server = createServer();
    const fakes = new PriceFakes(server, await listenLocally(server));
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://fake');
      const [, name = '', ...path] = url.pathname.split('/');
      url.pathname = `/${path.join('/')}`;
      const said = fakes.named(name).answer(url, request.headers);
      if (said === 'hang up') request.socket.destroy();
      else if (said === 'hang up halfway') response.write('{"error":', () => request.socket.destroy());
      else if (said !== 'say nothing') response.writeHead(said.status ?? 200, said.headers).end(said.body);
    });
    return fakes;
  }

  get all(): readonly FakePriceApi[] {
    return [this.coinbase, this.kraken, this.binance, this.coingecko];
  }

  /** Where one of them answers. */
  urlOf(name: string): string {
    return `http://127.0.0.1:${this.port}/${name}`;
  }

  /** The value of PRICE_SOURCE_URLS. */
  get urls(): string {
    return ['coinbase', 'kraken', 'binance', 'coingecko'].map((name) => `${name}=${this.urlOf(name)}`).join(',');
  }

  /** All of them answer, with the same prices; binance counts them in USDT of one dollar. */
  allSay(prices: Prices): void {
    for (const api of this.all) api.says(prices);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private named(name: string): FakePriceApi {
    const apis: Record<string, FakePriceApi> = {
      coinbase: this.coinbase,
      kraken: this.kraken,
      binance: this.binance,
      coingecko: this.coingecko,
    };
    const api = apis[name];
    if (api === undefined) throw new Error(`There is no price API named ${name}.`);
    return api;
  }
}

const ok = (value: unknown): HttpAnswer => ({ body: JSON.stringify(value) });

/** docs.cdp.coinbase.com, "Get product ticker". There is no USDC-USD. */
function coinbase(url: URL, prices: ReadonlyMap<string, Required<FakePrice>>): HttpAnswer {
  const token = /^\/products\/(\w+)-USD\/ticker$/.exec(url.pathname)?.[1] ?? '';
  const said = prices.get(token);
  if (said === undefined || token === 'USDC') return { status: 404, body: '{"message":"NotFound"}' };
  return ok({
    ask: said.price,
    bid: said.price,
    volume: '53602.03940154',
    trade_id: 86_326_522,
    price: said.price,
    size: '0.00698254',
    time: new Date(Date.now() - said.ageMs).toISOString().replace('Z', '833Z'),
    rfq_volume: '18.90',
  });
}

const KRAKEN_PAIRS: Readonly<Record<string, string>> = {
  XETHZUSD: 'ETH',
  POLUSD: 'POL',
  BNBUSD: 'BNB',
  SOLUSD: 'SOL',
  TRXUSD: 'TRX',
  USDCUSD: 'USDC',
  USDTZUSD: 'USDT',
};

/** docs.kraken.com, "Get Ticker Information": errors come with status 200, and one unknown pair fails the whole. */
function kraken(url: URL, prices: ReadonlyMap<string, Required<FakePrice>>): HttpAnswer {
  const pairs = (url.searchParams.get('pair') ?? '').split(',');
  const entries = pairs.flatMap((pair) => {
    const said = prices.get(KRAKEN_PAIRS[pair] ?? '');
    return said === undefined ? [] : [[pair, krakenTicker(said.price)] as const];
  });
  if (entries.length < pairs.length) return ok({ error: ['EQuery:Unknown asset pair'] });
  return ok({ error: [], result: Object.fromEntries(entries) });
}

const krakenTicker = (price: string) => ({
  a: [price, '1', '1.000'],
  b: [price, '1', '1.000'],
  c: ['1.23', '0.00067643'],
  v: ['4083.67001100', '4412.73601799'],
  p: ['30706.77771', '30689.13205'],
  t: [34_619, 38_907],
  l: ['29868.30000', '29868.30000'],
  h: ['31631.00000', '31631.00000'],
  o: '30502.80000',
});

/** developers.binance.com, "Symbol order book ticker": one invalid symbol fails the whole. */
function binance(url: URL, prices: ReadonlyMap<string, Required<FakePrice>>): HttpAnswer {
  const symbols = JSON.parse(url.searchParams.get('symbols') ?? '[]') as string[];
  const books = symbols.flatMap((symbol) => {
    const said = prices.get(symbol.replace(/USDT$/, ''));
    if (said === undefined) return [];
    return [{ symbol, bidPrice: said.price, bidQty: '431.00000000', askPrice: said.price, askQty: '9.00000000' }];
  });
  if (books.length < symbols.length) return { status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}' };
  return ok(books);
}

const COINGECKO_IDS: Readonly<Record<string, string>> = {
  ethereum: 'ETH',
  'polygon-ecosystem-token': 'POL',
  binancecoin: 'BNB',
  solana: 'SOL',
  tron: 'TRX',
  'usd-coin': 'USDC',
  tether: 'USDT',
};

/** docs.coingecko.com, "Coin price by IDs": prices are JSON numbers, unknown ids are left out. */
function coingecko(url: URL, prices: ReadonlyMap<string, Required<FakePrice>>): HttpAnswer {
  const ids = (url.searchParams.get('ids') ?? '').split(',');
  const coins = ids.flatMap((id) => {
    const said = prices.get(COINGECKO_IDS[id] ?? '');
    if (said === undefined) return [];
    const updatedAt = Math.floor((Date.now() - said.ageMs) / 1000);
    return [`"${id}":{"usd":${said.price},"last_updated_at":${updatedAt}}`];
  });
  return { body: `{${coins.join(',')}}` };
}
