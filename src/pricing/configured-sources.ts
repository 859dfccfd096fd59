import { networkProfile } from '../chains/networks.js';
import { ENVIRONMENTS, EVM_NETWORKS, type Environment } from '../domain/network.js';
import type { Config, PriceApiName } from '../platform/config.js';
import { BinanceSource } from './binance.source.js';
import { CHAINLINK_FEEDS } from './chainlink-feeds.js';
import { ChainlinkSource, type FeedNetwork } from './chainlink.source.js';
import { CoinbaseSource } from './coinbase.source.js';
import { CoinGeckoSource } from './coingecko.source.js';
import { KrakenSource } from './kraken.source.js';
import { RetryingSource } from './retrying-source.js';
import { PriceHttp } from './price-http.js';
import type { PriceSource } from './price-source.js';

interface PriceApi {
  /** Its address, unless PRICE_SOURCE_URLS replaces it. */
  readonly url: string;
  readonly open: (http: PriceHttp, config: Config) => PriceSource;
}

const PRICE_APIS: Readonly<Record<PriceApiName, PriceApi>> = {
  coinbase: { url: 'https://api.exchange.coinbase.com', open: (http) => new CoinbaseSource(http) },
  kraken: { url: 'https://api.kraken.com', open: (http) => new KrakenSource(http) },
  // The host of public data alone: it blocks fewer countries than the exchange's own.
  binance: { url: 'https://data-api.binance.vision', open: (http) => new BinanceSource(http) },
  coingecko: {
    url: 'https://api.coingecko.com',
    open: (http, { coingeckoApiKey }) => new CoinGeckoSource(http, coingeckoApiKey),
  },
};

const isPriceApi = (name: string): name is PriceApiName => name in PRICE_APIS;

/** The sources that the configuration names, by environment; both ask the same public APIs through the same clients. */
export class ConfiguredSources {
  private readonly byEnvironment: ReadonlyMap<Environment, readonly RetryingSource[]>;

  /** Opens no connection yet. */
  constructor(config: Config) {
    const shared = config.priceSources.filter(isPriceApi).map((name) => openApi(name, config));
    this.byEnvironment = new Map(
      ENVIRONMENTS.map((environment) => [environment, [...shared, ...chainlink(environment, config)]]),
    );
  }

  of(environment: Environment): readonly RetryingSource[] {
    return this.byEnvironment.get(environment) ?? [];
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    const all = new Set([...this.byEnvironment.values()].flat());
    await Promise.all([...all].map(({ source }) => source.close()));
  }
}

function openApi(name: PriceApiName, config: Config): RetryingSource {
  const { url, open } = PRICE_APIS[name];
  return new RetryingSource(open(new PriceHttp(name, config.priceSourceUrls[name] ?? url), config));
}

/** The feeds are on live networks, which the sandbox never asks: it has no reference. */
function chainlink(environment: Environment, config: Config): RetryingSource[] {
  if (environment !== 'live' || !config.priceSources.includes('chainlink')) return [];
  const networks = config.rpc.flatMap(({ environment: scope, network, urls }): FeedNetwork[] => {
    const profile = networkProfile(scope, network);
    const evm = EVM_NETWORKS.find((candidate) => candidate === network);
    return scope !== environment || profile === null || evm === undefined
      ? []
      : [{ network: evm, chainId: profile.chainId, rpcUrls: urls }];
  });
  return [new RetryingSource(new ChainlinkSource(CHAINLINK_FEEDS, networks))];
}
