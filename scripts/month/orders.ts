import type { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';
import { SHOPS, type Shop } from './shops.ts';

/** What becomes of an order. */
export const FATES = [
  'paid',
  'paid twice in part',
  'paid too much',
  'paid too little',
  'paid late',
  'paid in another token',
  'paid from a listed address',
  'dropped for good by a reorg',
  'moved by a reorg',
  'cancelled',
  'abandoned',
] as const;
export type Fate = (typeof FATES)[number];

/** How many of a thousand orders take each fate; the rest are paid. */
const SHARES: Readonly<Partial<Record<Fate, number>>> = {
  abandoned: 110,
  'paid too little': 25,
  'paid too much': 20,
  'paid twice in part': 15,
  'paid late': 15,
  'paid in another token': 8,
  'moved by a reorg': 6,
  'dropped for good by a reorg': 4,
  'paid from a listed address': 3,
  cancelled: 5,
};

/** Of a hundred orders, by network and token. */
const PLACES = [
  ['tron', 'USDT', 26],
  ['polygon', 'USDC', 17],
  ['ethereum', 'USDC', 13],
  ['solana', 'USDC', 12],
  ['bnb', 'USDT', 10],
  ['ethereum', 'USDT', 6],
  ['polygon', 'USDT', 5],
  ['ethereum', 'ETH', 3],
  ['solana', 'SOL', 3],
  ['bnb', 'BNB', 2],
  ['tron', 'TRX', 2],
  ['polygon', 'POL', 1],
] as const;

/** An order of a customer. */
export interface Order {
  /** The place of its shop in `SHOPS`. */
  readonly shop: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly fate: Fate;
}

/** The next order. The first ones take each fate once, so that a small month has all of them too. */
export function nextOrder(number: number, random: SeededRandom): Order {
  const shop = weighted(
    random,
    SHOPS.map(({ share }, index) => [index, share] as const),
  );
  const fate = FATES[number - 1] ?? fateOf(random);
  const [network, token] = fate === 'paid' || fate === 'abandoned' ? placeOf(random) : stablecoinPlace(fate, random);
  const { cents, reference, metadata } = SHOPS[shop] ?? firstShop();
  const body = {
    amount_cents: priceOf(cents, random),
    currency: 'USD',
    network,
    token,
    reference: reference(number),
    metadata: metadata(number, random),
  };
  return { shop, body, fate };
}

/** A listed wallet is on EVM chains; a reorg needs a chain whose blocks are not final at once. */
function stablecoinPlace(fate: Fate, random: SeededRandom): readonly [string, string] {
  if (fate === 'paid from a listed address') return ['polygon', 'USDC'];
  if (fate === 'moved by a reorg' || fate === 'dropped for good by a reorg') {
    return random.chance(0.5) ? ['solana', 'USDC'] : ['tron', 'USDT'];
  }
  const [network, token] = placeOf(random);
  return token === 'USDC' || token === 'USDT' ? [network, token] : stablecoinPlace(fate, random);
}

function placeOf(random: SeededRandom): readonly [string, string] {
  const place = weighted(
    random,
    PLACES.map((one) => [one, one[2]] as const),
  );
  return [place[0], place[1]];
}

function fateOf(random: SeededRandom): Fate {
  const share = (fate: Fate): readonly [Fate, number] => [fate, SHARES[fate] ?? 0];
  const others = FATES.map(share);
  const paid = 1_000 - others.reduce((sum, [, parts]) => sum + parts, 0);
  return weighted(random, [['paid', paid], ...others]);
}

/** Small prices are more frequent than large ones, and end like prices do. */
function priceOf({ from, to }: Shop['cents'], random: SeededRandom): number {
  const low = Math.min(random.below(1_000), random.below(1_000));
  const cents = from + Math.round(((to - from) * low) / 1_000);
  return Math.max(from, Math.round(cents / 100) * 100 - (random.chance(0.6) ? 10 : 0));
}

function weighted<Item>(random: SeededRandom, items: readonly (readonly [Item, number])[]): Item {
  let left = random.below(items.reduce((sum, [, parts]) => sum + parts, 0));
  for (const [item, parts] of items) {
    left -= parts;
    if (left < 0) return item;
  }
  throw new Error('There is nothing to choose from.');
}

function firstShop(): Shop {
  const [first] = SHOPS;
  if (first === undefined) throw new Error('There are no shops.');
  return first;
}
