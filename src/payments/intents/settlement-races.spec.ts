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
import { eventually } from '../../../test/support/eventually.js';
import { intentsOn } from '../../../test/support/intent-services.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { type IntentState, settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import type { Tenant } from '../../domain/tenant.js';
import { type Database, rows } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { markDirty } from './dirty-intents.js';
import type { SettlementService } from './settlement.service.js';
import { lockIdleUnsettled } from './settlement.sql.js';

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

describe('intents that are settled together', () => {
  /** Intents of three merchants, or of one, with a final payment each, marked. */
  async function paid(count: number, only?: Tenant): Promise<readonly SeededIntent[]> {
    const intents: SeededIntent[] = [];
    while (intents.length < count) {
      const tenant = only ?? intents.at(-3)?.tenant ?? (await aMerchant(database));
      const intent = await anIntent(database, { tenant, chain });
      await aDeposit(database, intent, { status: 'confirmed' });
      intents.push(intent);
    }
    await database.transaction((tx) =>
      markDirty(
        tx,
        intents.map(({ id }) => id),
      ),
    );
    return intents;
  }

  /** By how many transactions the intents were changed last, and how often they were credited and reported. */
  async function outcomeOf(intents: readonly SeededIntent[]) {
    const [outcome] = await query<Record<string, string>>(
      database,
      `select count(distinct intent.xmin::text) as transactions, count(*) filter (where status = 'completed') as completed,
              (select count(*) from entry join deposit on reference = 'deposit:' || deposit.id
                where intent_id = any($1)) as credited,
              (select count(*) from event where resource_id = any($1) and type = 'payment_intent.completed') as reported
         from payment_intent intent where id = any($1)`,
      [intents.map(({ id }) => id)],
    );
    return outcome;
  }

  it('are completed by a transaction for 25, each with its event and its entry', async () => {
    const intents = await paid(30);
    await settlement.settleAll({ intentIds: intents.map(({ id }) => id) });
    expect(await outcomeOf(intents)).toEqual({ transactions: '2', completed: '30', credited: '30', reported: '30' });
    for (const intent of intents) expect(await isMarked(intent)).toBe(false);
  });

  it('are credited once each when jobs overlap in other orders, beside new marks', async () => {
    const intents = await paid(24);
    const ids = intents.map(({ id }) => id);
    const jobs = [ids, ids.toReversed(), ids.slice(8), ids.toReversed().slice(8), ids.slice(0, 12)];
    await Promise.all([
      ...jobs.map((intentIds) => settlement.settleAll({ intentIds })),
      ...ids.map((id) => database.transaction((tx) => markDirty(tx, [id]))),
    ]);
    await settlement.settleAll({ intentIds: ids });
    expect(await outcomeOf(intents)).toMatchObject({ completed: '24', credited: '24', reported: '24' });
    for (const intent of intents) expect(await isMarked(intent)).toBe(false);
  });

  /** Locks rows while `work` runs, which may let go of them before its end. */
  async function whileLocked(locked: string, id: string, work: (letGo: () => void) => Promise<void>): Promise<void> {
    const end = Promise.withResolvers<void>();
    const holds = Promise.withResolvers<void>();
    const holding = database.transaction(async (tx) => {
      await query(tx, locked, [id]);
      holds.resolve();
      await end.promise;
    });
    await holds.promise;
    await work(end.resolve).finally(end.resolve);
    await holding;
  }

  it('do not wait for one that is locked, which is settled after them', async () => {
    const intents = await paid(10);
    const ids = intents.map(({ id }) => id);
    await whileLocked(`select from payment_intent where id = $1 for update`, ids[4] ?? '', async (letGo) => {
      const settling = settlement.settleAll({ intentIds: ids });
      await eventually(
        () => outcomeOf(intents),
        (outcome) => outcome?.['completed'] === '9',
      );
      letGo();
      await settling;
    });
    expect(await outcomeOf(intents)).toMatchObject({ completed: '10', credited: '10', reported: '10' });
  });

  it('are settled one by one, with a warning, when a pocket stays locked', async () => {
    const tenant = await aMerchant(database);
    const [before] = await paid(1, tenant);
    await settlement.settle(before?.id ?? '');
    const intents = [...(await paid(1, tenant)), ...(await paid(5))];
    const warned = Promise.withResolvers<void>();
    const log = new LogLines(() => warned.resolve());
    await whileLocked(`select from account where merchant_id = $1 for update`, tenant.merchantId, async (letGo) => {
      const impatient = settlementOn(database, createLogger('warn', { destination: log }));
      const settling = impatient.settleAll({ intentIds: intents.map(({ id }) => id) });
      await warned.promise;
      letGo();
      await settling;
    });
    expect(log.lines).toMatchObject([{ level: 'warn', err: { code: '55P03' } }]);
    expect(await outcomeOf(intents)).toMatchObject({ completed: '6', credited: '6', reported: '6' });
  });

  it('wait for a lock for a quarter of the usual time', async () => {
    const [intent] = await paid(1);
    const lockTimeout = `select current_setting('lock_timeout') as within`;
    const within = await database.transaction(async (tx) => {
      await rows(tx, lockIdleUnsettled([intent?.id ?? '']));
      return query(tx, lockTimeout);
    });
    expect([within, await query(database, lockTimeout)]).toEqual([[{ within: '500ms' }], [{ within: '2s' }]]);
  });

  it('do not stop because PostgreSQL refuses one each time', async () => {
    const intents = await paid(30);
    const ids = intents.map(({ id }) => id);
    const refused = ids[4] ?? '';
    await query(
      db.owner,
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'refused' using errcode = 'serialization_failure'; end $$`,
    );
    await query(
      db.owner,
      `create trigger refuse before update on payment_intent for each row when (old.id = '${refused}')
         execute function refuse()`,
    );
    const settling = settlement.settleAll({ intentIds: ids });
    await expect(settling).rejects.toMatchObject({ code: '40001' });
    await query(db.owner, `drop function refuse cascade`);
    expect(await outcomeOf(intents)).toMatchObject({ completed: '29', credited: '29', reported: '29' });
    const marked = await query(database, `select intent_id from dirty_intent where intent_id = any($1)`, [ids]);
    expect(marked).toEqual([{ intent_id: refused }]);
  });
});
