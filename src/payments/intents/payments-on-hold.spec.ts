import { expectBooksInOrder } from '../../../test/support/books.js';
import { aDeposit, moveDeposit, readUpTo, type SeededIntent } from '../../../test/support/factories.js';
import { SuspenseScene } from '../../../test/support/suspense-scene.js';
import { confirmAsListed } from '../../../test/support/listed-senders.js';
import { depositOperationsOn, settlementOn, stateOf } from '../../../test/support/settlement.js';
import { FLOORED_NOW, query } from '../../../test/support/sql.js';
import { EventsService } from '../../events/events.service.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { NoQueue } from '../../platform/queue/job-waker.js';
import { DepositOperations } from '../../suspense/deposit-operations.service.js';
import { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import { IntentCancellation } from './intent-cancellation.service.js';
import { IntentReader } from './intent-reader.service.js';
import type { SettlementService } from './settlement.service.js';

const ORDER = { actor: 'a test', reason: 'none' };
const ALL = 25_000_000n;
const PART = 10_000_000n;
const REST = ALL - PART;
const DUST = 1n;

let scene: SuspenseScene;
let settlement: SettlementService;
let operations: DepositOperations;

beforeAll(async () => {
  scene = await SuspenseScene.open();
  settlement = settlementOn(scene.database);
  operations = depositOperationsOn(scene.database);
});
afterEach(() => expectBooksInOrder(scene.database));
afterAll(() => scene.close());

const clean = (intent: SeededIntent, amount = ALL): Promise<string> =>
  aDeposit(scene.database, intent, { amount, status: 'confirmed' });
const release = (id: string) => scene.database.transaction((tx) => operations.release(tx, id, ORDER));
const keep = (id: string) => scene.database.transaction((tx) => operations.keep(tx, id, ORDER));

async function settled(intent: SeededIntent) {
  await settlement.settle(intent.id);
  return stateOf(scene.database, intent);
}

/** The command of the previous version does not consider intents. */
function noSettlement(): SettlementService {
  const unaware = settlementOn(scene.database);
  unaware.settleIn = () => Promise.resolve();
  return unaware;
}

/** Lets the deadline of an intent pass, with the chain read beyond it. */
async function pastDeadline(intent: SeededIntent): Promise<void> {
  const [row] = await query<{ expires_at: string }>(
    scene.database,
    `update payment_intent set expires_at = ${FLOORED_NOW}, due_at = ${FLOORED_NOW} where id = $1 returning expires_at`,
    [intent.id],
  );
  await readUpTo(scene.database, scene.polygon, new Date(row?.expires_at ?? ''));
}

async function depositOf(id: string): Promise<object | undefined> {
  const [row] = await query<{ late: boolean; held_as: string | null }>(
    scene.database,
    `select late, held_as from deposit where id = $1`,
    [id],
  );
  return row;
}

/** The payments that the newest event of a type shows, by their status. */
async function shownBy(intent: SeededIntent, type: string): Promise<readonly string[]> {
  const [event] = await query<{ statuses: string[] }>(
    scene.database,
    `select array(select payment ->> 'status' from jsonb_array_elements(data::jsonb -> 'payments') payment) as statuses
       from event where resource_id = $1 and type = $2 order by position desc limit 1`,
    [intent.id, `payment_intent.${type}`],
  );
  return event?.statuses ?? [];
}

describe('a payment from a listed sender', () => {
  it('counts until it is final, is on hold from then on, and is in no pocket [api] [G-98]', async () => {
    const intent = await scene.anIntent();
    const deposit = await aDeposit(scene.database, intent);
    expect(await settled(intent)).toMatchObject({ status: 'processing', receivedCents: 2500 });
    expect(await scene.pocketOf(intent.tenant, 'USDC')).toBeUndefined();
    await confirmAsListed(scene.database, deposit, scene.listing);
    expect(await settled(intent)).toMatchObject({
      status: 'processing',
      received: 0n,
      receivedCents: 0,
      pocket: 0n,
      events: ['processing', 'on_hold'],
    });
    expect(await depositOf(deposit)).toEqual({ late: false, held_as: 'frozen' });
    expect(await shownBy(intent, 'on_hold')).toEqual(['on_hold']);
    expect(await scene.pocketOf(intent.tenant, 'USDC')).toMatchObject({ available_cents: 0, pending_cents: 0 });
  });

  it('leaves clean money to complete the intent, with an event for each [api]', async () => {
    const intent = await scene.anIntent();
    await clean(intent, PART);
    await scene.aFrozenPayment(intent, { amount: REST });
    expect(await stateOf(scene.database, intent)).toMatchObject({ status: 'processing', received: PART, pocket: PART });
    await clean(intent, REST);
    expect(await settled(intent)).toMatchObject({
      status: 'completed',
      received: ALL,
      overpaidCents: 0,
      pocket: ALL,
    });
    const { events } = await stateOf(scene.database, intent);
    expect(events.toSorted()).toEqual(
      ['processing', 'payment_received', 'on_hold', 'payment_received', 'completed'].toSorted(),
    );
  });

  it('is put on hold after the end of the intent too, late and with its event [api]', async () => {
    const intent = await scene.anIntent();
    await pastDeadline(intent);
    await settlement.settle(intent.id);
    const deposit = await scene.aFrozenPayment(intent);
    expect(await stateOf(scene.database, intent)).toMatchObject({
      status: 'expired',
      pocket: 0n,
      events: ['expired', 'on_hold'],
    });
    expect(await depositOf(deposit)).toMatchObject({ late: true, held_as: 'frozen' });
  });

  it('of less than a cent has no event, and the intent expires by it [api]', async () => {
    const intent = await scene.anIntent();
    await scene.aFrozenPayment(intent, { amount: DUST });
    expect(await stateOf(scene.database, intent)).toMatchObject({ status: 'requires_action', events: [] });
    await pastDeadline(intent);
    expect(await settled(intent)).toMatchObject({ status: 'expired', failure: null, events: ['expired'] });
  });
});

describe('money on hold at the deadline', () => {
  const isPolled = async ({ id }: SeededIntent): Promise<boolean> => {
    const rows = await query(scene.database, `select from payment_intent where id = $1 and due_at is not null`, [id]);
    return rows.length > 0;
  };

  it('that can pay the intent keeps it processing, and nothing polls it [api]', async () => {
    const intent = await scene.anIntent();
    await clean(intent, PART);
    const deposit = await scene.aFrozenPayment(intent, { amount: REST });
    await pastDeadline(intent);
    expect(await settled(intent)).toMatchObject({ status: 'processing', receivedCents: 1000 });
    expect(await isPolled(intent)).toBe(false);
    expect(await release(deposit)).toMatchObject({ intent: { id: intent.id, status: 'completed' } });
    expect(await stateOf(scene.database, intent)).toMatchObject({
      status: 'completed',
      received: ALL,
      pocket: ALL,
      events: ['processing', 'payment_received', 'on_hold', 'payment_received', 'completed'],
    });
    expect(await depositOf(deposit)).toEqual({ late: false, held_as: null });
  });

  it.each([
    ['payment_on_hold', 0n, ALL],
    ['underpaid', PART, REST],
  ])('that is kept fails the intent at once as %s [api]', async (failure, paid, onHold) => {
    const intent = await scene.anIntent();
    if (paid > 0n) await clean(intent, paid);
    const deposit = await scene.aFrozenPayment(intent, { amount: onHold });
    await pastDeadline(intent);
    await settlement.settle(intent.id);
    expect(await keep(deposit)).toMatchObject({ intent: { status: 'failed' } });
    expect(await stateOf(scene.database, intent)).toMatchObject({ status: 'failed', failure, received: paid });
    expect(await shownBy(intent, 'failed')).toContain('kept');
  });

  it('that cannot pay the intent fails it, and is late money once it is released [api]', async () => {
    const intent = await scene.anIntent();
    const deposit = await scene.aFrozenPayment(intent, { amount: PART });
    await pastDeadline(intent);
    expect(await settled(intent)).toMatchObject({ status: 'failed', failure: 'payment_on_hold', received: 0n });
    await release(deposit);
    expect(await stateOf(scene.database, intent)).toMatchObject({
      status: 'failed',
      received: 0n,
      pocket: PART,
      events: ['processing', 'on_hold', 'failed', 'payment_received'],
    });
    expect(await depositOf(deposit)).toEqual({ late: true, held_as: null });
    expect(await shownBy(intent, 'payment_received')).toEqual(['confirmed']);
  });

  it('and a release at the same moment have one outcome', async () => {
    const intent = await scene.anIntent();
    const deposit = await scene.aFrozenPayment(intent);
    await pastDeadline(intent);
    await Promise.all([settlement.settle(intent.id), release(deposit), settlement.settle(intent.id)]);
    expect(await stateOf(scene.database, intent)).toMatchObject({
      status: 'completed',
      pocket: ALL,
      events: ['processing', 'on_hold', 'payment_received', 'completed'],
    });
  });
});

describe('a decision about money on hold', () => {
  it('that releases one of two counts that one [api]', async () => {
    const intent = await scene.anIntent();
    const [one] = [
      await scene.aFrozenPayment(intent, { amount: PART }),
      await scene.aFrozenPayment(intent, { amount: REST }),
    ];
    await release(one);
    expect(await stateOf(scene.database, intent)).toMatchObject({ status: 'processing', received: PART, pocket: PART });
  });

  it('that keeps it leaves the intent payable by clean money, and may be followed by a release [api]', async () => {
    const intent = await scene.anIntent();
    const deposit = await scene.aFrozenPayment(intent);
    expect(await keep(deposit)).toMatchObject({ intent: { status: 'processing' } });
    await clean(intent);
    expect(await settled(intent)).toMatchObject({ status: 'completed', received: ALL, overpaidCents: 0, pocket: ALL });
    await release(deposit);
    expect(await stateOf(scene.database, intent)).toMatchObject({
      status: 'completed',
      received: ALL,
      overpaidCents: 0,
      pocket: 2n * ALL,
    });
    expect(await depositOf(deposit)).toMatchObject({ late: true });
  });

  it('by a command of the version before wakes the intent, which then counts it', async () => {
    const intent = await scene.anIntent();
    const deposit = await scene.aFrozenPayment(intent);
    const before = new DepositOperations(new LedgerService(), new PocketsService(), noSettlement());
    await scene.database.transaction((tx) => before.release(tx, deposit, ORDER));
    expect(await query(scene.database, `select from dirty_intent where intent_id = $1`, [intent.id])).toHaveLength(1);
    expect(await settled(intent)).toMatchObject({ status: 'completed', received: ALL, pocket: ALL });
    expect(await depositOf(deposit)).toEqual({ late: false, held_as: null });
  });

  it('its reorg ends the intent that waited for it', async () => {
    const intent = await scene.anIntent();
    const deposit = await scene.aFrozenPayment(intent);
    await pastDeadline(intent);
    await settlement.settle(intent.id);
    await query(scene.database, `update deposit set gone_at = now() where id = $1`, [deposit]);
    expect(await settled(intent)).toMatchObject({ status: 'processing' });
    const reversals = new DepositReversals(scene.database, new LedgerService());
    await scene.database.transaction((tx) => reversals.reverse(tx, deposit, ORDER));
    expect(await settled(intent)).toMatchObject({ status: 'expired', received: 0n });
  });
});

describe('dust', () => {
  it('blocks no cancellation, and a payment does [api]', async () => {
    const reader = new IntentReader(scene.database, new NetworkViews(scene.database));
    const cancellation = new IntentCancellation(new EventsService(new NoQueue()), reader);
    const cancel = ({ id }: SeededIntent) => scene.database.transaction((tx) => cancellation.cancel(tx, id));
    const [dusted, paid] = [await scene.anIntent(), await scene.anIntent()];
    await aDeposit(scene.database, dusted, { amount: DUST });
    await aDeposit(scene.database, paid, { amount: 10_000n });
    await expect(cancel(paid)).rejects.toThrow('paid into');
    expect(await cancel(dusted)).toMatchObject({ status: 'cancelled' });
  });

  it('is credited without an event, and the intent expires by it, also when it was confirmed [api]', async () => {
    const intent = await scene.anIntent({ status: 'processing' });
    const deposit = await aDeposit(scene.database, intent, { amount: DUST });
    expect(await settled(intent)).toMatchObject({ status: 'processing', received: DUST, receivedCents: 0, events: [] });
    await moveDeposit(scene.database, deposit, 'confirmed');
    await pastDeadline(intent);
    expect(await settled(intent)).toMatchObject({ status: 'expired', pocket: DUST, events: ['expired'] });
  });
});
