import type { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';
import type { Merchant, PlacedIntent } from './merchant.ts';
import type { MonthSandbox } from './month-sandbox.ts';
import { type Fate, nextOrder, type Order } from './orders.ts';
import { LISTED_PAYER, payFromWallet, shareOf } from './payers.ts';
import type { Staff } from './staff.ts';

const AT_ONCE = 6;

/** Orders whose payment is not at rest: it is on its way, not final, or not booked. */
const UNSETTLED = `
  select (select count(*) from sandbox_payment
           where intent_id = any($1) and status not in ('final', 'failed') and due_at < clock.now())
       + (select count(*) from deposit d join pool_address a on a.id = d.address_id
           where a.intent_id = any($1) and d.status = 'seen')
       + (select count(*) from dirty_intent where intent_id = any($1) and quarantined_at is null) as count`;
const UNSETTLED_ROWS = `
  select i.id, i.network, i.status, p.status as order, d.status as deposit
    from payment_intent i
    left join sandbox_payment p on p.intent_id = i.id
    left join pool_address a on a.intent_id = i.id
    left join deposit d on d.address_id = a.id
   where i.id = any($1) and (p.status not in ('final', 'failed') or d.status = 'seen')`;
const SETTLED_WITHIN_MS = 60_000;
/** Deliveries that are due: a leap would make their requests look hours long. */
const DUE_DELIVERIES = `select count(*) from delivery where status = 'pending' and due_at <= clock.now()`;
const DELIVERED_WITHIN_MS = 5_000;

/** Who takes part in the trade. */
export interface Traders {
  readonly sandbox: MonthSandbox;
  /** In the order of `SHOPS`. */
  readonly merchants: readonly Merchant[];
  readonly support: Staff;
  readonly random: SeededRandom;
  /** Receives a line for what went otherwise. */
  readonly report: (line: string) => void;
}

/** An order that was placed. */
interface Placed extends Order {
  readonly merchant: Merchant;
  readonly intent: PlacedIntent;
}

/** What customers buy, wave by wave. */
export class Trade {
  private readonly traders: Traders;
  private placed = 0;
  /** Their customers pay after the deadline. */
  private late: Placed[] = [];

  constructor(traders: Traders) {
    this.traders = traders;
  }

  get count(): number {
    return this.placed;
  }

  /** Places orders and lets customers pay. Returns when every payment is final and booked. */
  async wave(orders: number): Promise<void> {
    await this.payLate();
    const numbers = Array.from({ length: orders }, () => ++this.placed);
    const placed = await inBatches(numbers, (number) => this.place(nextOrder(number, this.traders.random)));
    await inBatches(placed, (one) => this.pay(one));
    await this.untilSettled(placed);
    const halves = placed.filter(({ fate }) => fate === 'paid twice in part');
    await inBatches(halves, ({ merchant, intent }) => merchant.pay(intent.id));
    await this.untilSettled(halves);
    await this.untilDelivered();
  }

  /** Waits until no delivery is due, or its receiver takes long. */
  async untilDelivered(): Promise<void> {
    await this.traders.sandbox.untilNone(DUE_DELIVERIES, [], DELIVERED_WITHIN_MS);
  }

  private async place(order: Order): Promise<Placed> {
    const merchant = this.traders.merchants[order.shop];
    if (merchant === undefined) throw new Error(`There is no merchant ${order.shop}.`);
    const { id } = await merchant.createIntent(order.body);
    return { ...order, merchant, intent: await merchant.generateAddress(id) };
  }

  private pay(order: Placed): Promise<void> {
    return PAYMENTS[order.fate](order, this.traders, this.late);
  }

  private async payLate(): Promise<void> {
    const late = this.late;
    this.late = [];
    for (const { merchant, intent } of late) await merchant.pay(intent.id, { amount: shareOf(intent, 1_000) });
    await this.untilSettled(late);
  }

  /** A payment that does not settle is reported and left as it is: the month goes on, as it would. */
  private async untilSettled(orders: readonly Placed[]): Promise<void> {
    const ids = orders.map(({ intent }) => intent.id);
    const { sandbox, report } = this.traders;
    if (ids.length === 0 || (await sandbox.untilNone(UNSETTLED, [ids], SETTLED_WITHIN_MS))) return;
    for (const { id, network, status, order, deposit } of await sandbox.query<Unsettled>(UNSETTLED_ROWS, [ids])) {
      const { fate } = orders.find(({ intent }) => intent.id === id) ?? {};
      report(`  unsettled: ${id}, ${fate ?? ''} on ${network}: ${status}, order ${order}, deposit ${deposit}`);
    }
  }
}

interface Unsettled {
  readonly id: string;
  readonly network: string;
  readonly status: string;
  readonly order: string | null;
  readonly deposit: string | null;
}

type Payment = (order: Placed, traders: Traders, late: Placed[]) => Promise<void>;

const PAYMENTS: Readonly<Record<Fate, Payment>> = {
  paid: ({ merchant, intent }) => merchant.pay(intent.id),
  'paid too much': ({ merchant, intent }) => merchant.pay(intent.id, { amount: shareOf(intent, 1_250) }),
  'paid too little': ({ merchant, intent }, { random }) =>
    merchant.pay(intent.id, { amount: shareOf(intent, 600 + random.below(390)) }),
  'paid twice in part': ({ merchant, intent }) => merchant.pay(intent.id, { amount: shareOf(intent, 400) }),
  'paid late': (order, _traders, late) => {
    late.push(order);
    return Promise.resolve();
  },
  'paid in another token': ({ merchant, intent }) =>
    merchant.pay(intent.id, {
      token: intent.token === 'USDC' ? 'USDT' : 'USDC',
      amount: shareOf(intent, 1_000),
    }),
  'paid from a listed address': async ({ intent }, { sandbox }) => {
    const { address, token, crypto_amount: amount } = intent;
    const transfer = { to: address ?? '', token, amount: BigInt(amount ?? '0'), from: LISTED_PAYER };
    await payFromWallet(sandbox, 'polygon', transfer);
  },
  'dropped for good by a reorg': (order, traders) => payAndReorg(order, traders, false),
  'moved by a reorg': (order, traders) => payAndReorg(order, traders, true),
  cancelled: async ({ intent }, { sandbox }) => {
    await sandbox.coffer('intent', 'cancel', intent.id);
  },
  abandoned: () => Promise.resolve(),
};

/** Support plays the chain. It cannot when the payment is final already: then it was an ordinary one. */
async function payAndReorg({ merchant, intent }: Placed, { support }: Traders, returns: boolean): Promise<void> {
  await merchant.pay(intent.id);
  await support.act(`/intents/${intent.id}/sandbox/reorg`, { returns }).catch((error: unknown) => {
    if (!String(error).includes('answered 409')) throw error;
  });
}

/** Works on all items, a few at once. */
async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let next = 0; next < items.length; next += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(next, next + AT_ONCE).map(work))));
  }
  return results;
}
