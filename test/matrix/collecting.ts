import type { Network } from '../../src/domain/network.js';
import { formatUnits } from '../../src/domain/money.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { SandboxPaymentObject } from '../../src/sandbox/sandbox.schema.js';
import { addressOf, getIntent, intentWithAddress } from '../http/intents.js';
import { expire, newMerchant, pocketOf } from '../http/paying.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { type Asset, ASSETS } from './cells.js';
import { COLLECTED, type CollectedCase } from './collected.js';

const CENTS = 2500;
/** The cells of a network run at once, and one network after the other. */
const WITHIN_MS = 120_000;

/** What a cell ended with. */
interface Outcome {
  readonly intent: PaymentIntentObject;
  /** Smallest units: what was sent, and what the pocket has. */
  readonly sent: bigint;
  readonly credited: string;
  /** Why deposits belong to no intent. */
  readonly unattributed: readonly (string | null)[];
}

interface Scene {
  readonly api: ApiClient;
  readonly asset: Asset;
  readonly intent: PaymentIntentObject;
}

let world: World;
const outcomes = new Map<string, Promise<Outcome>>();

type CollectedCell = Asset & { readonly name: CollectedCase };

const keyOf = ({ network, symbol, name }: CollectedCell): string => `${network} ${symbol} ${name}`;

/** Starts the service, and begins to pay the cells of one network after the other. */
async function begin(networks: readonly Network[], cells: readonly CollectedCell[]): Promise<void> {
  world = await startWorld({
    networks,
    env: { WALLET_POOL_TARGET: '120', RATE_LIMIT_PER_SECOND: '0', DEV_BLOCK_INTERVAL_MS: '200' },
  });
  let before: Promise<unknown> = Promise.resolve();
  for (const network of networks) {
    const earlier = before;
    const running = cells
      .filter((cell) => cell.network === network)
      .map((cell) => {
        const outcome = earlier.then(() => run(cell, cell.name));
        outcomes.set(keyOf(cell), outcome);
        return outcome;
      });
    // The test that waits for an outcome reports its error.
    before = Promise.allSettled(running);
  }
}

/** Pays an intent in each asset of these networks, in each way of the table, and checks what is credited. */
export function describeCollecting(networks: readonly Network[]): void {
  const cells = ASSETS.filter(({ network }) => networks.includes(network)).flatMap((asset) =>
    Object.values(COLLECTED).map((name) => ({ ...asset, name })),
  );
  beforeAll(() => begin(networks, cells));
  afterAll(async () => {
    await Promise.allSettled(outcomes.values());
    await expectBooksInOrder(world.database);
    await world.stop();
  });

  it.each(cells)(
    '$name in $symbol on $network',
    async (cell) => {
      const outcome = await outcomes.get(keyOf(cell));
      expect(outcome?.intent).toMatchObject(ENDS[cell.name]);
      const isOurs = cell.name !== 'wrong token';
      expect(outcome?.credited).toBe(isOurs ? String(outcome?.sent) : '0');
      expect(new Set(outcome?.unattributed)).toEqual(new Set([isOurs ? null : 'other_token']));
    },
    networks.length * WITHIN_MS,
  );
}

/** A merchant of its own, so that its pocket holds what this cell was paid and nothing else. */
async function run(asset: Asset, name: CollectedCase): Promise<Outcome> {
  const api = await newMerchant(world);
  const { network, symbol: token } = asset;
  const intent = await intentWithAddress(api, { network, token, amount_cents: CENTS });
  const sent = await WAYS[name]({ api, asset, intent });
  await eventually(
    () => deposits(intent),
    (found) => found.reduce((sum, { amount }) => sum + BigInt(amount), 0n) === sent && found.every(isBooked),
    WITHIN_MS,
  );
  const pocket = await pocketOf(api, network, token);
  return {
    sent,
    intent: await getIntent(api, intent.id),
    credited: pocket?.available_amount ?? '',
    unattributed: (await deposits(intent)).map(({ unattributed_reason: reason }) => reason),
  };
}

const isBooked = ({ credited_at: at }: { readonly credited_at: unknown }): boolean => at !== null;

/** Every deposit to the address of an intent. */
const deposits = (intent: PaymentIntentObject) =>
  query<{ amount: string; credited_at: Date | null; unattributed_reason: string | null }>(
    world.database,
    `select amount, credited_at, unattributed_reason from deposit
      where lower(to_address) = lower($1) and status = 'confirmed'`,
    [addressOf(intent)],
  );

/** Pays an amount in smallest units; null = what is missing. Returns what was sent. */
async function pay({ api, asset, intent }: Scene, units: bigint | null, other?: Asset): Promise<bigint> {
  const { decimals, symbol: token } = other ?? asset;
  const amount = units === null ? {} : { amount: formatUnits(units, decimals), token };
  const path = `/v1/sandbox/payment-intents/${intent.id}/pay`;
  const { status, body, text } = await api.post<SandboxPaymentObject>(path, amount);
  if (status !== 202) throw new Error(`The payment was refused: ${text}`);
  return BigInt(body.amount);
}

const until = ({ api, intent }: Scene, isSo: (now: PaymentIntentObject) => boolean): Promise<PaymentIntentObject> =>
  eventually(() => getIntent(api, intent.id), isSo, WITHIN_MS);

const asked = ({ intent }: Scene): bigint => BigInt(intent.crypto_amount ?? 0);

/** How each case pays. Each returns the smallest units that it sent. */
const WAYS: Readonly<Record<CollectedCase, (scene: Scene) => Promise<bigint>>> = {
  exact: (scene) => pay(scene, null),
  'two parts': async (scene) => {
    const first = await pay(scene, asked(scene) / 3n);
    await until(scene, ({ received_crypto_amount: received }) => received === String(first));
    return first + (await pay(scene, null));
  },
  // Rounded up: the surplus is shown in whole cents.
  over: (scene) => pay(scene, (asked(scene) * 11n + 9n) / 10n),
  late: async (scene) => {
    await expire(scene.api, scene.intent.id);
    await until(scene, ({ status }) => status === 'expired');
    return pay(scene, asked(scene));
  },
  'wrong token': (scene) => {
    const { network, symbol } = scene.asset;
    const other = ASSETS.find((one) => one.network === network && one.kind === 'token' && one.symbol !== symbol);
    if (other === undefined) throw new Error(`${network} has no other token than ${symbol}.`);
    return pay(scene, 25n * 10n ** BigInt(other.decimals), other);
  },
};

const PAID = { received_amount_cents: CENTS, remaining_amount_cents: 0 };
/** What each case ends with. */
const ENDS: Readonly<Record<CollectedCase, object>> = {
  exact: { status: 'completed', ...PAID, overpaid_amount_cents: 0, payments: [{ late: false }] },
  'two parts': { status: 'completed', ...PAID, overpaid_amount_cents: 0, payments: [{ late: false }, { late: false }] },
  over: { status: 'completed', ...PAID, overpaid_amount_cents: CENTS / 10, payments: [{ late: false }] },
  late: { status: 'expired', payments: [{ late: true }] },
  'wrong token': { status: 'requires_action', received_amount_cents: 0, payments: [] },
};
