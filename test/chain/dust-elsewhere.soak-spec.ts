import { expectBooksInOrder } from '../support/books.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { aMerchant, anIntent, type SeededChain, type SeededIntent } from '../support/factories.js';
import { settlementOn, stateOf } from '../support/settlement.js';
import { SolanaScene } from '../support/solana-scene.js';
import { query } from '../support/sql.js';
import { TronScene } from '../support/tron-scene.js';

/** In each block payments of 1, 2, 3 ... smallest units, which are worth less than a cent all together. */
const BLOCKS = 12;
const PER_BLOCK = 40;
const DUST = BigInt((BLOCKS * PER_BLOCK * (PER_BLOCK + 1)) / 2);
/** An address without coins must receive more than the rent of an account, in lamports. */
const FIRST_LAMPORTS = 1_000_000n;

/** A chain with a listener, which a spec floods. */
interface Flooded {
  readonly db: TestDatabase;
  chain(symbol: string): SeededChain;
  /** Sends coins (null) or tokens. */
  send(to: string, token: 'USDC' | 'USDT' | null, amount: bigint): Promise<unknown>;
  mine(): Promise<unknown>;
  /** Makes everything final, and lets the listener read. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

async function solana(): Promise<Flooded> {
  const scene = await SolanaScene.open();
  const { controls } = scene.lab;
  scene.listen();
  return {
    db: scene.db,
    chain: (symbol) => scene.chain(symbol),
    send: (owner, token, amount) => controls.fund({ owner, token, amount }),
    mine: () => controls.mine(),
    settle: async () => {
      await scene.lab.settle();
      scene.nudge();
    },
    close: () => scene.close(),
  };
}

async function tron(): Promise<Flooded> {
  const scene = await TronScene.open();
  const { controls } = scene.rig;
  scene.listen();
  return {
    db: scene.db,
    chain: (symbol) => scene.chain(symbol),
    send: (to, token, amount) => controls.fund(to, token, amount),
    mine: () => controls.mine(1),
    settle: async () => {
      await scene.settle();
      await scene.untilRead();
    },
    close: () => scene.close(),
  };
}

/** An intent of 25 dollars, or of 25 coins, of a merchant of its own. */
const intentOn = async ({ db, chain }: Flooded, symbol: string): Promise<SeededIntent> =>
  anIntent(db.database, { tenant: await aMerchant(db.database), chain: chain(symbol) });

/** Waits until so much to the address of an intent is final, and settles the intent. */
async function settled(flooded: Flooded, intent: SeededIntent, units: bigint): Promise<void> {
  await eventually(
    async () => {
      await flooded.settle();
      const [row] = await query<{ sum: string | null }>(
        flooded.db.database,
        `select sum(amount) from deposit where to_address = $1 and status = 'confirmed'`,
        [intent.address],
      );
      return BigInt(row?.sum ?? 0);
    },
    (final) => final === units,
    60_000,
  );
  await settlementOn(flooded.db.database).settle(intent.id);
}

describe.each([
  { network: 'solana', open: solana, token: 'USDC', coin: 'SOL' },
  { network: 'tron', open: tron, token: 'USDT', coin: 'TRX' },
] as const)('dust on $network', ({ open, token, coin }) => {
  let flooded: Flooded;
  beforeAll(async () => {
    flooded = await open();
  });
  afterAll(() => flooded.close());

  it.each([token, coin])(
    'in 480 payments of %s is credited to the last unit, and neither floods the merchant nor delays a customer [G-96]',
    async (symbol) => {
      const sent = symbol === coin ? null : token;
      const [dusted, customer] = [await intentOn(flooded, symbol), await intentOn(flooded, symbol)];
      const first = symbol === 'SOL' ? FIRST_LAMPORTS : 0n;
      if (first > 0n) await flooded.send(dusted.address, sent, first);
      await flooded.mine();
      for (let block = 0; block < BLOCKS; block += 1) {
        for (let amount = 1; amount <= PER_BLOCK; amount += 1) await flooded.send(dusted.address, sent, BigInt(amount));
        await flooded.mine();
      }
      await flooded.send(customer.address, sent, customer.cryptoAmount);
      await flooded.mine();
      await settled(flooded, customer, customer.cryptoAmount);
      await settled(flooded, dusted, first + DUST);
      const { database } = flooded.db;
      expect(await stateOf(database, customer)).toMatchObject({ status: 'completed', pocket: customer.cryptoAmount });
      // Not one webhook each: a payment worth less than a cent has no event.
      expect(await stateOf(database, dusted)).toMatchObject({
        status: 'requires_action',
        pocket: first + DUST,
        received: first + DUST,
        receivedCents: 0,
        events: [],
      });
      await expectBooksInOrder(database);
    },
    120_000,
  );
});
