import fc from 'fast-check';
import { expectBooksInOrder } from '../../../test/support/books.js';
import { RefundScene } from '../../../test/support/refund-scene.js';
import { simulated } from '../../../test/support/simulated-payments.js';
import { depositOperationsOn } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { DomainError } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import type { Tx } from '../../platform/database/database.js';
import type { DepositOperations } from '../deposit-operations.service.js';
import { DepositReversals } from '../deposit-reversals.service.js';
import { RefundOperations } from './refund-operations.service.js';

const STAFF = { actor: 'a test', reason: 'none' };
const UNITS = 25_000_000n;
const DECISIONS = ['order', 'cancel', 'give', 'reverse', 'restore'] as const;
const ACTIONS = [...DECISIONS, 'sign', 'pay', 'revert', 'lose', 'find'] as const;
type Action = (typeof ACTIONS)[number];

/** Where the money of a deposit should be. */
interface Model {
  place: 'suspense' | 'returning' | 'returned' | 'pocket';
  isSigned: boolean;
  isReorged: boolean;
  isReversed: boolean;
}

let scene: RefundScene;
let operations: RefundOperations;
let deposits: DepositOperations;
let reversals: DepositReversals;
let tenant: Tenant;
let receivers = 0;

beforeAll(async () => {
  scene = await RefundScene.open();
  const ledger = new LedgerService();
  operations = new RefundOperations(ledger, scene.outcomes);
  deposits = depositOperationsOn(scene.database);
  reversals = new DepositReversals(scene.database, ledger);
  tenant = await scene.payouts.merchant();
});
afterAll(() => scene.close());

/** Returns a new receiver, to which no payment was reverted within 24 hours. */
const newReceiver = (): string => `0x${(receivers += 1).toString(16).padStart(40, '7b')}`;

/** Whether the action is expected to succeed. */
function isLegal({ place, isSigned, isReorged, isReversed }: Model, action: Action): boolean {
  switch (action) {
    case 'order':
    case 'give':
      return place === 'suspense' && !isReorged && !isReversed;
    case 'cancel':
      return place === 'returning' && !isSigned;
    case 'sign':
      return place === 'returning' && !isSigned && !isReorged;
    case 'pay':
    case 'revert':
      return place === 'returning' && isSigned;
    case 'reverse':
      return isReorged && !isReversed && place !== 'returning';
    case 'restore':
      return isReversed && !isReorged;
    default:
      return isReorged === (action === 'find');
  }
}

/** The effect of each action on the model. */
const EFFECTS: Readonly<Record<Action, Partial<Model>>> = {
  order: { place: 'returning', isSigned: false },
  give: { place: 'pocket' },
  cancel: { place: 'suspense' },
  sign: { isSigned: true },
  pay: { place: 'returned' },
  revert: { place: 'suspense' },
  reverse: { isReversed: true },
  restore: { isReversed: false },
  lose: { isReorged: true },
  find: { isReorged: false },
};

const refundOf = async (depositId: string): Promise<string> => {
  const [row] = await query<{ id: string }>(
    scene.database,
    `select id from deposit_return where deposit_id = $1 order by created_at desc, id desc limit 1`,
    [depositId],
  );
  return row?.id ?? 'ret_none';
};

/** Does an action to a deposit; returns false when it was refused or did nothing. */
async function done(action: Action, depositId: string): Promise<boolean> {
  const id = await refundOf(depositId);
  if (action === 'lose' || action === 'find') {
    const found = await query(
      scene.database,
      `update deposit set gone_at = case when $2 then now() end
        where id = $1 and (gone_at is null) = $2 returning id`,
      [depositId, action === 'lose'],
    );
    return found.length > 0;
  }
  if (action === 'sign') {
    const before = await hasSignature(id);
    await simulated(scene.database, id);
    await scene.signer.sign(scene.vault, id);
    return !before && (await hasSignature(id));
  }
  if (action === 'pay' || action === 'revert') {
    return scene.ends(id, action === 'pay').then(
      () => true,
      () => false,
    );
  }
  const work: Record<(typeof DECISIONS)[number], (tx: Tx) => Promise<unknown>> = {
    order: (tx) => operations.order(tx, depositId, newReceiver(), { ...STAFF, unknown: [], isAgain: false }),
    cancel: (tx) => operations.cancel(tx, id, STAFF, []),
    give: (tx) => deposits.resolve(tx, depositId, tenant, { ...STAFF, unknown: [] }),
    reverse: (tx) => reversals.reverse(tx, depositId, STAFF),
    restore: (tx) => reversals.restore(tx, depositId, STAFF),
  };
  try {
    await scene.database.transaction(work[action]);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

async function hasSignature(id: string): Promise<boolean> {
  const rows = await query(
    scene.database,
    `select from deposit_return where id = $1 and status = 'broadcasting' and signed_at is not null`,
    [id],
  );
  return rows.length > 0;
}

/** The balances that the entries about a deposit should leave, by its whole history. */
function expected({ place, isReversed }: Model): Record<string, string> {
  const legs: Record<string, bigint> = { chain: place === 'returned' ? 0n : -UNITS };
  if (place !== 'returned') legs[place === 'pocket' ? 'pocket_available' : place] = UNITS;
  if (isReversed) {
    legs['chain'] = (legs['chain'] ?? 0n) + UNITS;
    const from = place === 'suspense' ? 'suspense' : 'receivable';
    legs[from] = (legs[from] ?? 0n) - UNITS;
  }
  return Object.fromEntries(Object.entries(legs).flatMap(([kind, sum]) => (sum === 0n ? [] : [[kind, String(sum)]])));
}

it('whatever staff, vault and chain do in whatever order: a deposit leaves once, and the books are in order [H-100] [I-108] [F-64]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...ACTIONS), { minLength: 1, maxLength: 14 }), async (actions) => {
      const depositId = await scene.aDeposit();
      const model: Model = {
        place: 'suspense',
        isSigned: false,
        isReorged: false,
        isReversed: false,
      };
      // The first is an order; otherwise most histories would have no refund.
      for (const action of ['order', ...actions] as const) {
        const before = { ...model };
        const legal = isLegal(model, action);
        if (legal) Object.assign(model, EFFECTS[action]);
        expect({ before, action, done: await done(action, depositId) }).toEqual({ before, action, done: legal });
      }
      expect(await scene.balances(depositId)).toEqual(expected(model));
    }),
    { numRuns: 60 },
  );
  await expectBooksInOrder(scene.database);
});
