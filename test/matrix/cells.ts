import { developmentProfile } from '../../src/chains/networks.js';
import { type AddressFamily, addressFamilyOf, NATIVE_COIN, type Network, NETWORKS } from '../../src/domain/network.js';

/** What must hold for every token and coin of every network. */
export const EVERYWHERE = [
  'exact',
  'two parts',
  'over',
  'late',
  'dust',
  'wrong token',
  'failed on chain',
  'fork or reorg',
  'contract or program as payer',
  'two payers in one transaction',
  'withdrawal',
  'withdrawal to a fresh recipient',
  'withdrawal that waits for swept funds',
  '50 equal withdrawals at once',
  'sweep',
  'sweep racing a deposit',
  'kill -9 of a withdrawal',
  'kill -9 of a sweep',
  'restore with live bytes in flight',
] as const;

/** What must hold for the coin of every network, and for no token. */
export const OF_COINS = ['the coin through a contract'] as const;

/** What must hold on the networks of one family. */
export const OF_FAMILIES = {
  evm: ['frozen destination', 'frozen hot wallet', 'frozen source of a sweep'],
  solana: [
    'payer with a legacy transaction',
    'payer with version 0 and a lookup table',
    'payer with version 1',
    'frozen destination',
    'frozen hot wallet',
    'frozen source of a sweep',
    'account closed and paid again',
    'below the minimum',
    'rent changed in between',
    'a node that understates expiry',
  ],
  tron: [
    'frozen destination',
    'frozen hot wallet',
    'frozen source of a sweep',
    'OUT_OF_ENERGY of a withdrawal',
    'OUT_OF_ENERGY of a sweep',
    'energy price up between quote and sending',
    'staked energy exhausted',
  ],
} as const satisfies Readonly<Record<AddressFamily, readonly string[]>>;

type FamilyCase = (typeof OF_FAMILIES)[AddressFamily][number];
export type CaseName = (typeof EVERYWHERE)[number] | (typeof OF_COINS)[number] | FamilyCase;

/** Whether a cell is about tokens of contracts, or about the coin of the network. */
export type AssetKind = 'token' | 'coin';

/** What is paid on a network. */
export interface Asset {
  readonly network: Network;
  readonly symbol: string;
  readonly kind: AssetKind;
  readonly decimals: number;
}

/** A case of one asset; of a family's cases there is one cell a network, with no symbol. */
export interface Cell {
  readonly network: Network;
  readonly symbol: string | null;
  readonly kind: AssetKind | null;
  readonly name: CaseName;
}

/** Every token and coin that the development chains offer. */
export const ASSETS: readonly Asset[] = NETWORKS.flatMap((network) =>
  developmentProfile({ network, chainId: '1', contracts: { USDC: 'USDC', USDT: 'USDT' } }).tokens.map(
    ({ symbol, contract, decimals }) => ({
      network,
      symbol,
      decimals,
      kind: contract === NATIVE_COIN ? ('coin' as const) : ('token' as const),
    }),
  ),
);

/** The whole matrix. A network that joins the catalogue gets its cells here. */
export const CELLS: readonly Cell[] = [
  ...ASSETS.flatMap(({ network, symbol, kind }) =>
    [...EVERYWHERE, ...(kind === 'coin' ? OF_COINS : [])].map((name) => ({ network, symbol, kind, name })),
  ),
  ...NETWORKS.flatMap((network) =>
    OF_FAMILIES[addressFamilyOf(network)].map((name) => ({ network, symbol: null, kind: null, name })),
  ),
];

/** The name of a cell in messages. */
export const nameOf = ({ network, symbol, name }: Cell): string => [network, symbol, name].filter(Boolean).join(' / ');
