import type { EvmNetwork } from '../domain/network.js';

/** A contract on a live network that keeps the price of one token in USD, with 8 decimals. */
export interface ChainlinkFeed {
  readonly token: string;
  readonly network: EvmNetwork;
  readonly contract: string;
  /** It is updated at least this often, and sooner when the price moves. */
  readonly heartbeatSeconds: number;
}

const HOUR = 3_600;
const DAY = 86_400;

const feed = (token: string, network: EvmNetwork, contract: string, heartbeatSeconds: number): ChainlinkFeed => ({
  token,
  network,
  contract,
  heartbeatSeconds,
});

/**
 * The feeds of the tokens on offer, the preferred network first: the first one with a node of ours is used. POL's on
 * ethereum is the former MATIC feed. Source: docs.chain.link, "Price Feed Contract Addresses"; where networks differ in
 * their heartbeat, the longest is used.
 */
export const CHAINLINK_FEEDS: readonly ChainlinkFeed[] = [
  feed('ETH', 'ethereum', '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419', HOUR),
  feed('ETH', 'polygon', '0xf9680d99d6c9589e2a93a78a04a279e509205945', HOUR),
  feed('ETH', 'bnb', '0x9ef1b8c0e4f7dc8bf5719ea496883dc6401d5b2e', HOUR),
  feed('POL', 'polygon', '0xab594600376ec9fd91f8e885dadf0ce036862de0', HOUR),
  feed('POL', 'ethereum', '0x7bac85a8a13a4bcd8abb3eb7d6b4d632c5a57676', DAY),
  feed('BNB', 'bnb', '0x0567f2323251f0aab15c8dfb1967e4e8a7d42aee', HOUR),
  feed('BNB', 'ethereum', '0x14e613ac84a31f709eadbdf89c6cc390fdc9540a', DAY),
  feed('SOL', 'ethereum', '0x4ffc43a60e009b551865a93d232e33fce9f01507', DAY),
  feed('SOL', 'polygon', '0x10c8264c0935b3b9870013e057f330ff3e9c56dc', DAY),
  feed('SOL', 'bnb', '0x0e8a53dd9c13589df6382f13da6b3ec8f919b323', DAY),
  feed('TRX', 'ethereum', '0xacd0d1a29759cc01e8d925371b72cb2b5610ea25', DAY),
  feed('TRX', 'polygon', '0x307ccf7cbd17b69a487b9c3dbe483931cf3e1833', DAY),
  feed('TRX', 'bnb', '0xf4c5e535756d11994fcbb12ba8add0192d9b88be', DAY),
  feed('USDC', 'ethereum', '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6', DAY),
  feed('USDC', 'polygon', '0xfe4a8cc5b5b2366c1b58bea3858e81843581b2f7', DAY),
  feed('USDC', 'bnb', '0x51597f405303c4377e36123cbc172b13269ea163', DAY),
  feed('USDT', 'ethereum', '0x3e7d1eab13ad0104d2750b8863b489d65364e32d', DAY),
  feed('USDT', 'polygon', '0x0a6513e40db6eb1b165753ad52e80663aea50545', DAY),
  feed('USDT', 'bnb', '0xb97ad0e74fa7d920791e90258a6e2085088b4320', DAY),
];
