import type { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';
import { destinationOn } from './destinations.ts';
import type { Merchant, MerchantPocket } from './merchant.ts';
import { SHOPS } from './shops.ts';

/** What a pocket of a stablecoin must hold before its merchant thinks of a withdrawal: 50.00. */
const WORTH_CENTS = 5_000;
const STABLECOINS = new Set(['USDC', 'USDT']);
/** A merchant pays to a few addresses again and again. */
const DESTINATIONS_EACH = 2;

/** The withdrawals of the merchants. */
export class Payouts {
  private readonly merchants: readonly Merchant[];
  private readonly random: SeededRandom;
  private readonly known = new Map<string, string[]>();
  private ordered = 0;

  constructor(merchants: readonly Merchant[], random: SeededRandom) {
    this.merchants = merchants;
    this.random = random;
  }

  /** One merchant, by its place or any, withdraws a part of its fullest pocket. Returns the id; null when it has too little, or the API refuses it. */
  async order(shop = this.random.below(SHOPS.length)): Promise<string | null> {
    const merchant = this.merchants[shop];
    const [fullest] = ((await merchant?.pockets()) ?? [])
      .filter(
        ({ token, available_cents: cents, held_cents: held }) =>
          STABLECOINS.has(token) && held === 0 && cents > WORTH_CENTS,
      )
      .toSorted((a, b) => b.available_cents - a.available_cents);
    if (merchant === undefined || fullest === undefined) return null;
    this.ordered += 1;
    return merchant.withdraw({
      pocket_id: fullest.id,
      amount_cents: this.partOf(fullest),
      destination: this.destinationOf(merchant, fullest.network),
      fee_strategy: this.random.chance(0.2) ? 'fast' : 'standard',
      reference: `payout-${String(this.ordered).padStart(4, '0')}`,
    });
  }

  /** A round amount, from a third to four fifths. */
  private partOf({ available_cents: cents }: MerchantPocket): number {
    const part = Math.floor((cents * (33 + this.random.below(47))) / 100);
    return part > 20_000 ? Math.floor(part / 10_000) * 10_000 : Math.floor(part / 100) * 100;
  }

  private destinationOf({ id }: Merchant, network: string): string {
    const place = `${id} ${network}`;
    const known = this.known.get(place) ?? [];
    this.known.set(place, known);
    if (known.length < DESTINATIONS_EACH && (known.length === 0 || this.random.chance(0.2))) {
      known.push(destinationOn(network, this.random));
    }
    return known[this.random.below(known.length)] ?? '';
  }
}
