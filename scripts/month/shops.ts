import type { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';

/** How the receiver of a shop answers on a day of the month, counted from 0. */
export type Answer = number | 'hang' | 'reset';

/** A merchant of the month. */
export interface Shop {
  readonly name: string;
  /** Its share of the orders, in parts. */
  readonly share: number;
  /** What it sells for, in US cents. */
  readonly cents: { readonly from: number; readonly to: number };
  readonly reference: (order: number) => string;
  readonly metadata: (order: number, random: SeededRandom) => Readonly<Record<string, string | number>>;
  /** Its own note on the endpoint. */
  readonly endpoint: string;
  readonly answer: (day: number, random: SeededRandom) => Answer;
}

const CITIES = ['Oslo', 'Lyon', 'Porto', 'Graz', 'Gdańsk', 'Malmö', 'Leuven', 'Turku', 'Bologna', 'Brno'];
const BEANS = [
  'Ethiopia Guji 1 kg',
  'House blend 3 × 250 g',
  'Kenya AA 500 g',
  'Decaf Huila 1 kg',
  'Subscription, 2 bags',
];
const CHAIRS = ['Oak table 180 cm', 'Lounge chair Fjord', 'Shelf unit, 4 bays', 'Bench 120 cm', 'Bedside table'];
const GAMES = ['Hollow Tide', 'Starfarer II', 'Moss & Ember', 'Gravity Golf', 'Founder pack'];
const RECORDS = ['LP, limited pressing', '7-inch single', 'Digital album (FLAC)', 'Box set'];

const pick = <Item>(random: SeededRandom, items: readonly [Item, ...Item[]] | readonly Item[], or: Item): Item =>
  items[random.below(items.length)] ?? or;

/** The merchants. Their receivers fail each in its own way. */
export const SHOPS: readonly Shop[] = [
  {
    name: 'Nordlicht Coffee Roasters',
    share: 9,
    cents: { from: 1_490, to: 8_900 },
    reference: (order) => `order-${10_400 + order}`,
    metadata: (order, random) => ({
      cart: pick(random, BEANS, 'House blend'),
      ship_to: pick(random, CITIES, 'Oslo'),
      shop_order: 10_400 + order,
    }),
    endpoint: 'Shop backend',
    answer: (_day, random) => (random.chance(0.03) ? 503 : 200),
  },
  {
    name: 'Atelier Fjord',
    share: 3,
    cents: { from: 18_000, to: 240_000 },
    reference: (order) => `INV-2026-${String(1_800 + order).padStart(5, '0')}`,
    metadata: (_order, random) => ({ item: pick(random, CHAIRS, 'Bench'), deliver_to: pick(random, CITIES, 'Lyon') }),
    endpoint: 'Accounting (Odoo)',
    // It has replaced its secret and not the one in its server.
    answer: (day) => (day >= 22 ? 401 : 200),
  },
  {
    name: 'Pixel & Pine Games',
    share: 9,
    cents: { from: 499, to: 5_999 },
    reference: (order) => `PP-${(7_340_000 + order * 7).toString(36).toUpperCase()}`,
    metadata: (order, random) => ({ title: pick(random, GAMES, 'Founder pack'), player: `u_${48_210 + order * 3}` }),
    endpoint: 'Key delivery',
    // Two bad days after a release.
    answer: (day, random) => (day >= 11 && day < 13 && random.chance(0.9) ? 500 : 200),
  },
  {
    name: 'Lumen Hosting',
    share: 6,
    cents: { from: 900, to: 36_000 },
    reference: (order) => `lumen-${2_026_000 + order}`,
    metadata: (order, random) => ({
      plan: pick(random, ['vps-2', 'vps-8', 'metal-1'], 'vps-2'),
      account: 3_100 + order,
    }),
    endpoint: 'Billing',
    answer: (day) => (day >= 25 ? 'hang' : 200),
  },
  {
    name: 'Orchard Books',
    share: 5,
    cents: { from: 790, to: 6_400 },
    reference: (order) => `OB${880_120 + order}`,
    metadata: (_order, random) => ({ books: 1 + random.below(4), ship_to: pick(random, CITIES, 'Porto') }),
    endpoint: 'Warehouse',
    answer: (day) => (day >= 18 ? 'reset' : 200),
  },
  {
    name: 'Kestrel Travel',
    share: 3,
    cents: { from: 12_000, to: 190_000 },
    reference: (order) => `KT-${String(order * 37).padStart(6, '0')}`,
    metadata: (order, random) => ({
      trip: `${pick(random, CITIES, 'Turku')}, ${2 + random.below(9)} nights`,
      pax: 1 + (order % 4),
    }),
    endpoint: 'Booking engine',
    // It has moved, and its new address is unknown.
    answer: (day) => (day >= 27 ? 404 : 200),
  },
  {
    name: 'Tidal Records',
    share: 4,
    cents: { from: 990, to: 14_900 },
    reference: (order) => `tidal/${5_000 + order}`,
    metadata: (_order, random) => ({ release: pick(random, RECORDS, 'LP') }),
    endpoint: 'Storefront',
    answer: (day) => (day === 20 ? 302 : 200),
  },
  {
    name: 'Boreal Bikes',
    share: 2,
    cents: { from: 4_900, to: 329_000 },
    reference: (order) => `BB-${4_401 + order}`,
    metadata: (order, random) => ({ frame: `BRL-${9_000 + order}`, shop: pick(random, CITIES, 'Brno') }),
    endpoint: 'ERP',
    answer: () => 200,
  },
];
