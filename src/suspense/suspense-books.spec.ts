import fc from 'fast-check';
import { expectBooksInOrder } from '../../test/support/books.js';
import { aDeposit, type SeededIntent } from '../../test/support/factories.js';
import { SuspenseScene } from '../../test/support/suspense-scene.js';
import { confirmAsListed } from '../../test/support/listed-senders.js';
import { depositOperationsOn, settlementOn, stateOf } from '../../test/support/settlement.js';
import { query } from '../../test/support/sql.js';
import { DomainError } from '../domain/errors.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { Tx } from '../platform/database/database.js';
import type { DepositOperations } from './deposit-operations.service.js';
import { DepositReversals } from './deposit-reversals.service.js';

const UNITS = 25_000_000n;
const ORDER = { actor: 'a test', reason: 'none' };
const ACTIONS = ['resolve', 'release', 'keep', 'lose', 'find', 'reverse', 'restore'] as const;
type Action = (typeof ACTIONS)[number];

/** Where the money of a deposit should be. */
interface Model {
  place: 'suspense' | 'frozen' | 'kept' | 'pocket';
  isReorged: boolean;
  isReversed: boolean;
  /** It has been in the pocket. */
  isPaid: boolean;
  readonly isAttributed: boolean;
}

let scene: SuspenseScene;
let operations: DepositOperations;
let reversals: DepositReversals;

beforeAll(async () => {
  scene = await SuspenseScene.open();
  operations = depositOperationsOn(scene.database);
  reversals = new DepositReversals(scene.database, new LedgerService());
});
afterAll(() => scene.close());

/** Applies an action to the model; returns false when it is to be refused. */
function applied(model: Model, action: Action): boolean {
  const { place, isReorged, isReversed } = model;
  switch (action) {
    case 'lose':
      model.isReorged = true;
      return !isReorged;
    case 'find':
      model.isReorged = false;
      return isReorged;
    case 'restore':
      if (!isReversed || isReorged) return false;
      Object.assign(model, { isReversed: false, place: place === 'kept' ? 'frozen' : place });
      return true;
    case 'reverse':
      if (!isReorged || isReversed) return false;
      model.isReversed = true;
      return true;
    default:
      return !isReversed && isDecided(model, action);
  }
}

/** Applies a decision of staff about an unattributed or frozen deposit to the model. */
function isDecided(model: Model, action: Action): boolean {
  const { place, isReorged } = model;
  switch (action) {
    case 'keep':
      if (place !== 'frozen') return false;
      model.place = 'kept';
      return true;
    case 'release':
      if ((place !== 'frozen' && place !== 'kept') || isReorged) return false;
      model.place = model.isAttributed ? 'pocket' : 'suspense';
      model.isPaid = model.isAttributed;
      return true;
    default:
      if (place !== 'suspense' || isReorged) return false;
      model.place = 'pocket';
      return true;
  }
}

/** Does an action to a deposit; false when it was refused. */
async function done(action: Action, id: string, { tenant }: SeededIntent): Promise<boolean> {
  if (action === 'lose' || action === 'find') {
    const found = await query(
      scene.database,
      `update deposit set gone_at = case when $2 then now() end
        where id = $1 and (gone_at is null) = $2 returning id`,
      [id, action === 'lose'],
    );
    return found.length > 0;
  }
  const work: Record<Exclude<Action, 'lose' | 'find'>, (tx: Tx) => Promise<unknown>> = {
    resolve: (tx) => operations.resolve(tx, id, tenant, { ...ORDER, unknown: [] }),
    release: (tx) => operations.release(tx, id, ORDER),
    keep: (tx) => operations.keep(tx, id, ORDER),
    reverse: (tx) => reversals.reverse(tx, id, ORDER),
    restore: (tx) => reversals.restore(tx, id, ORDER),
  };
  try {
    await scene.database.transaction(work[action]);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_state_transition') return false;
    throw error;
  }
}

/** A final deposit of 25 dollars as the listener leaves it, settled or booked by the worker. */
async function aFinalDeposit(intent: SeededIntent, isAttributed: boolean, isListed: boolean): Promise<string> {
  const id = isAttributed ? await aDeposit(scene.database, intent) : await scene.aWrongToken(intent, 'seen');
  if (isListed) await confirmAsListed(scene.database, id, scene.listing);
  else await query(scene.database, `update deposit set status = 'confirmed', confirmed_at = now() where id = $1`, [id]);
  await settlementOn(scene.database).settle(intent.id);
  await scene.book();
  return id;
}

describe('whatever staff do in whatever order', () => {
  it('money is in one place, what must be refused is refused, and the books are in order [H-100] [H-102] [G-98]', async () => {
    const steps = fc.array(fc.constantFrom(...ACTIONS), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.boolean(), steps, async (isAttributed, isListed, actions) => {
        const intent = await scene.anIntent();
        const id = await aFinalDeposit(intent, isAttributed, isListed);
        const place = isListed ? 'frozen' : isAttributed ? 'pocket' : 'suspense';
        const model: Model = { place, isReorged: false, isReversed: false, isPaid: place === 'pocket', isAttributed };
        for (const action of actions) {
          const before = { ...model };
          const isLegal = applied(model, action);
          expect({ before, action, done: await done(action, id, intent) }).toEqual({ before, action, done: isLegal });
        }
        const token = isAttributed ? 'USDC' : 'USDT';
        const cents = (await scene.pocketOf(intent.tenant, token))?.available_cents ?? 0;
        expect(cents).toBe(model.place === 'pocket' ? 2500 : 0);
        await settlementOn(scene.database).settle(intent.id);
        const status = isAttributed ? (model.isPaid ? 'completed' : 'processing') : 'requires_action';
        expect(await stateOf(scene.database, intent)).toMatchObject({ status, received: model.isPaid ? UNITS : 0n });
      }),
      { numRuns: 100 },
    );
    await expectBooksInOrder(scene.database);
  });
});
