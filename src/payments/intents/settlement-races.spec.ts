import fc from 'fast-check';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  moveDeposit,
  readUpTo,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { intentsOn } from '../../../test/support/intent-services.js';
import { type IntentState, settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { type Database } from '../../platform/database/database.js';
import { markDirty } from './dirty-intents.js';
import type { SettlementService } from './settlement.service.js';

let db: TestDatabase;
let database: Database;
let settlement: SettlementService;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  settlement = settlementOn(database);
  chain = await aChain(database);
});
afterAll(() => db.drop());

const open = async (expiresIn = 3600): Promise<SeededIntent> =>
  anIntent(database, { tenant: await aMerchant(database), chain, expiresIn });

const isMarked = async ({ id }: SeededIntent): Promise<boolean> =>
  (await query(database, `select from dirty_intent where intent_id = $1`, [id])).length > 0;

describe('a deposit that is being recorded', () => {
  it('neither holds up settling nor deadlocks with it, and leaves its mark [D-46]', async () => {
    const intent = await open();
    await database.transaction((tx) => markDirty(tx, [intent.id]));
    const recorded = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<void>();
    const recording = database.transaction(async (tx) => {
      // As the foreign key of a new deposit locks its intent.
      await query(tx, `select from payment_intent where id = $1 for key share`, [intent.id]);
      recorded.resolve();
      await settled.promise;
      await markDirty(tx, [intent.id]);
    });
    await recorded.promise;
    await settlement.settle(intent.id).finally(() => settled.resolve());
    await recording;
    expect(await isMarked(intent)).toBe(true);
  });
});

describe('confirm, the deadline and a payment at the same moment', () => {
  /** Stores a transfer as the listener does: the row and the mark in one transaction, then a wake. */
  async function pay(intent: SeededIntent, status: 'seen' | 'confirmed', inTime: boolean): Promise<void> {
    const moment = new Date(intent.expiresAt.getTime() + (inTime ? -1 : 1));
    await aDeposit(database, intent, { status, blockTime: moment, seenAt: moment });
    await database.transaction((tx) => markDirty(tx, [intent.id]));
    await settlement.settle(intent.id);
  }

  const legalEnd = (state: IntentState, status: 'seen' | 'confirmed', inTime: boolean): readonly string[] => {
    // Settling may be ahead of the payment and expire the intent; it is never taken for underpaid.
    if (!inTime) return ['expired'];
    return state.status === 'expired' ? ['expired'] : [status === 'confirmed' ? 'completed' : 'processing'];
  };

  it('have one outcome, with one event, and the money is credited once [D-45]', async () => {
    const actor = fc.constantFrom('confirm', 'settle', 'pay', 'settle again');
    const order = fc.shuffledSubarray(['confirm', 'settle', 'pay', 'settle again'] as const, { minLength: 4 });
    await fc.assert(
      fc.asyncProperty(order, actor, fc.boolean(), fc.boolean(), async (actors, first, isFinal, inTime) => {
        const status = isFinal ? 'confirmed' : 'seen';
        const intent = await open(-600);
        await readUpTo(database, chain, new Date());
        const act = (name: (typeof actors)[number]): Promise<unknown> => {
          if (name === 'pay') return pay(intent, status, inTime);
          if (name !== 'confirm') return settlement.settle(intent.id);
          const { intents } = intentsOn(database);
          return database.transaction((tx) => intents.confirm(tx, intent.tenant, intent.id));
        };
        // A confirmation past the deadline is refused, which is one of the legal outcomes.
        if (first !== 'pay') await act(first).catch(() => undefined);
        await Promise.allSettled(actors.map(act));
        const state = await stateOf(database, intent);
        expect(legalEnd(state, status, inTime)).toContain(state.status);
        expect(state.entries).toBe(isFinal ? 1 : 0);
        const ends = state.events.filter((event) => ['completed', 'failed', 'expired'].includes(event));
        expect(ends).toEqual(state.status === 'processing' ? [] : [state.status]);
        expect(await isMarked(intent)).toBe(false);
      }),
      { numRuns: 25 },
    );
  });

  it('never loses a payment that is recorded while the intent is settled', async () => {
    const intents = await Promise.all(Array.from({ length: 12 }, () => open()));
    await Promise.all(
      intents.map(async (intent) => {
        const deposit = await aDeposit(database, intent);
        await Promise.all([
          settlement.settle(intent.id),
          moveDeposit(database, deposit, 'confirmed').then(() =>
            database.transaction((tx) => markDirty(tx, [intent.id])),
          ),
        ]);
        if (await isMarked(intent)) await settlement.settle(intent.id);
      }),
    );
    for (const intent of intents) expect((await stateOf(database, intent)).status).toBe('completed');
  });
});
