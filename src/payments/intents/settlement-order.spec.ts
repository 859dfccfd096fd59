import type { Kysely } from 'kysely';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  readUpTo,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { markDirty } from './dirty-intents.js';

// The order of the statements in one settlement: a listener commits between two of them.

function contextOf(tx: Tx): Kysely<unknown> {
  const context = tx.getTransactionContext<Kysely<unknown>>();
  if (context === undefined) throw new Error('A transaction has a context.');
  return context;
}

/** Runs `interrupt` once, after the first statement that matches `pause`, while the transaction of that statement is open. */
class PausingDatabase extends Database {
  pause: RegExp | null = null;
  interrupt: () => Promise<void> = () => Promise.resolve();

  override transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return super.transaction((tx) => {
      const context = contextOf(tx);
      tx.setTransactionContext(new Proxy(context, { get: (client, key) => this.wrapped(client, key) }));
      return work(tx);
    });
  }

  private wrapped(client: Kysely<unknown>, key: string | symbol): unknown {
    const value: unknown = Reflect.get(client, key, client);
    if (key !== 'executeQuery') return typeof value === 'function' ? value.bind(client) : value;
    return async (statement: Parameters<typeof client.executeQuery>[0]) => {
      const result = await client.executeQuery(statement);
      if ('sql' in statement && this.pause?.test(statement.sql) === true) {
        this.pause = null;
        await this.interrupt();
      }
      return result;
    };
  }
}

let db: TestDatabase;
let paused: PausingDatabase;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  paused = new PausingDatabase(db.orm);
  chain = await aChain(db.database);
});
afterAll(() => db.drop());

/** An intent that was due ten minutes ago; its chain was read up to a minute before that. */
async function due(): Promise<SeededIntent> {
  const { database } = db;
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain, expiresIn: -600 });
  await readUpTo(database, chain, new Date(intent.expiresAt.getTime() - 60_000));
  return intent;
}

const inTime = ({ expiresAt }: SeededIntent) => {
  const moment = new Date(expiresAt.getTime() - 1_000);
  return { blockTime: moment, seenAt: moment };
};

describe('a payment that commits while its intent is settled', () => {
  it('and takes the chain past the deadline does not expire the intent: progress is read before the deposits [E-63]', async () => {
    const { database } = db;
    const intent = await due();
    paused.pause = /from payment_intent join chain|from deposit/;
    // As the listener commits it: the payment, and how far it has read.
    paused.interrupt = async () => {
      await aDeposit(database, intent, inTime(intent));
      await readUpTo(database, chain, new Date());
    };
    await settlementOn(paused).settle(intent.id);
    expect(paused.pause).toBeNull();
    expect((await stateOf(database, intent)).status).toBe('processing');
  });

  it('after the deposits were read leaves its mark: the mark is deleted before the facts are read', async () => {
    const { database } = db;
    const intent = await due();
    paused.pause = /from deposit/;
    paused.interrupt = async () => {
      await aDeposit(database, intent, inTime(intent));
      await database.transaction((tx) => markDirty(tx, [intent.id]));
    };
    await settlementOn(paused).settle(intent.id);
    expect(paused.pause).toBeNull();
    const marksLeft = await query(database, `select intent_id from dirty_intent where intent_id = $1`, [intent.id]);
    expect({ marksLeft }).toEqual({ marksLeft: [{ intent_id: intent.id }] });
    await settlementOn(database).settle(intent.id);
    expect((await stateOf(database, intent)).status).toBe('processing');
  });
});
