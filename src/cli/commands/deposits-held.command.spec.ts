import { freeAddresses, readUpTo, type SeededIntent } from '../../../test/support/factories.js';
import { SuspenseScene } from '../../../test/support/suspense-scene.js';
import { confirmAsListed } from '../../../test/support/listed-senders.js';
import { settlementOn, stateOf } from '../../../test/support/settlement.js';
import { FLOORED_NOW, query } from '../../../test/support/sql.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import { DepositsWithoutPocket } from '../../suspense/deposits-without-pocket.service.js';
import { checkDeposits } from '../doctor/doctor-deposits.js';

const WHY = ['--reason', 'ticket 7'] as const;

let scene: SuspenseScene;
let intent: SeededIntent;

beforeAll(async () => {
  scene = await SuspenseScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  intent = await scene.anIntent();
});

/** Makes the settlements of the intent that record an event fail at the commit. Returns a function that ends this. */
async function refuseEvents({ id }: SeededIntent): Promise<() => Promise<unknown>> {
  const { owner } = scene.db;
  await query(
    owner,
    `
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no event is taken'; end $$`,
  );
  await query(
    owner,
    `
    create constraint trigger refuse after insert on event deferrable initially deferred for each row
      when (new.resource_id = '${id}') execute function refuse()`,
  );
  return () => query(owner, `drop function refuse cascade`);
}

/** Returns the balance of the merchant's pocket, in cents. */
const centsIn = async (token: string): Promise<number | undefined> =>
  (await scene.pocketOf(intent.tenant, token))?.available_cents;

describe('coffer doctor', () => {
  const check = () =>
    checkDeposits(new DepositReversals(scene.database, new LedgerService()), new DepositsWithoutPocket(scene.database));

  it('warns of deposits that wait for a decision, and fails while one is reorged [L7]', async () => {
    expect(await check()).toMatchObject([{ level: 'ok' }]);
    const wrong = await scene.aWrongToken(intent);
    await scene.aFrozenPayment(intent);
    expect(await check()).toMatchObject([
      { level: 'warn', detail: '1 of listed senders are frozen, the oldest for 0 h' },
      { level: 'warn', detail: '1 are unattributed, the oldest for 0 h' },
    ]);
    await query(scene.database, `update deposit set gone_at = now() where id = $1`, [wrong]);
    expect(await check()).toContainEqual(
      expect.objectContaining({ level: 'fail', detail: '1 are booked otherwise than on their chain, after a reorg' }),
    );
    await query(scene.database, `update deposit set gone_at = null`);
  });
});

describe('coffer deposits list', () => {
  it('lists deposits that wait for a decision, oldest first, with the reason in plain words [L7]', async () => {
    const { merchantId } = intent.tenant;
    const wrong = await scene.aWrongToken(intent);
    const frozen = await scene.aFrozenPayment(intent);
    const [free = ''] = await freeAddresses(scene.database, 1);
    const stray = await anUnattributedDeposit(scene.database, {
      chain: scene.bnb,
      address: free,
      reason: 'address_not_assigned',
    });
    await scene.book();
    const { code, out } = await scene.coffer('list');
    expect(code).toBe(0);
    expect(out).toMatch(/^DEPOSIT +HELD AS +SINCE +CHAIN +AMOUNT +MERCHANT +TRANSACTION +REASON\n/);
    expect(out).toMatch(
      new RegExp(`${wrong} +suspense .* sandbox polygon +25 USDT +${merchantId} .* the intent asks for USDC\n`),
    );
    expect(out).toMatch(new RegExp(`${frozen} +frozen .* sender 0x\\w+ on the sanctions list \\(Lazarus Group\\)\n`));
    expect(out).toMatch(new RegExp(`${stray} +suspense .* none .* address not assigned`));
    const ids = async (...options: string[]): Promise<unknown[]> => {
      const { out: lines } = await scene.coffer('list', '--json', '--limit', '500', ...options);
      return lines.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).id));
    };
    expect((await ids()).slice(-3)).toEqual([wrong, frozen, stray]);
    expect(await ids('--after', frozen)).toEqual([stray]);
    expect((await ids('--frozen')).slice(-1)).toEqual([frozen]);
    expect((await ids('--unattributed')).slice(-2)).toEqual([wrong, stray]);
    expect(await ids('--kept')).toEqual([]);
    const { err } = await scene.coffer('list', '--limit', '1');
    expect(err).toMatch(/^There are more: --after dep_\w+\n$/);
  });
});

describe('a payment from a listed sender', () => {
  it('is frozen; a release pays its intent and credits the pocket, once [G-98]', async () => {
    const id = await scene.aFrozenPayment(intent);
    const [paid] = await query(scene.database, `select status from payment_intent where id = $1`, [intent.id]);
    expect([paid, await centsIn('USDC')]).toEqual([{ status: 'processing' }, 0]);
    const { code, out } = await scene.coffer('release', id, ...WHY);
    const pocket = await scene.pocketOf(intent.tenant, 'USDC');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Deposit ${id}, 25 USDC on polygon (sandbox), is in the pocket ${pocket?.id}. Payment intent ${intent.id} is completed.\n`,
    });
    expect(pocket).toMatchObject({ available_cents: 2500 });
    expect(await scene.audited(id)).toMatchObject([
      { action: 'deposit.release', reason: 'ticket 7', details: { to: pocket?.id, was: 'frozen' } },
    ]);
    expect(await scene.refusalOf('release', id, ...WHY)).toContain('It is released already: by ');
    expect(await scene.refusalOf('keep', id, ...WHY)).toContain('It is released already: by ');
  });

  it('is kept by a decision, which can change [G-98]', async () => {
    const id = await scene.aFrozenPayment(intent);
    expect(await scene.coffer('keep', id, ...WHY)).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 USDC on polygon (sandbox), is kept. Payment intent ${intent.id} is processing.\n`,
    });
    expect(await scene.refusalOf('keep', id, ...WHY)).toContain('It is kept already: by ');
    expect((await scene.coffer('list', '--frozen')).out).not.toContain(id);
    expect((await scene.coffer('list', '--kept')).out).toContain(id);
    await scene.coffer('release', id, ...WHY);
    expect(await centsIn('USDC')).toBe(2500);
    expect(await scene.audited(id)).toMatchObject([{ action: 'deposit.keep' }, { details: { was: 'kept' } }]);
  });

  it('can be kept but not released while its intent cannot be settled, with the reason', async () => {
    const id = await scene.aFrozenPayment(intent);
    await query(scene.database, `update payment_intent set expires_at = ${FLOORED_NOW} where id = $1`, [intent.id]);
    await readUpTo(scene.database, scene.polygon, new Date());
    const before = await stateOf(scene.database, intent);
    const takeEvents = await refuseEvents(intent);
    expect(await scene.refusalOf('release', id, ...WHY)).toBe(
      `coffer deposits release: Nothing was changed: payment intent ${intent.id} could not be settled (no event is ` +
        'taken). See npx coffer intent quarantined, mend the cause, then release the deposit again.\n',
    );
    expect(await scene.audited(id)).toEqual([]);
    expect(await scene.coffer('keep', id, ...WHY)).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 USDC on polygon (sandbox), is kept. Payment intent ${intent.id} is processing.\n`,
      err: expect.stringContaining(`Payment intent ${intent.id} could not be settled (no event is taken).`),
    });
    expect(await scene.audited(id)).toMatchObject([{ action: 'deposit.keep' }]);
    expect(await stateOf(scene.database, intent)).toEqual(before);
    expect(await query(scene.database, `select from dirty_intent where intent_id = $1`, [intent.id])).toHaveLength(1);
    await takeEvents();
    await settlementOn(scene.database).settle(intent.id);
    expect(await stateOf(scene.database, intent)).toMatchObject({ status: 'failed', failure: 'payment_on_hold' });
  });

  it('that is unattributed goes to suspense when it is released, and from there to a pocket [G-98]', async () => {
    const id = await scene.aWrongToken(intent, 'seen');
    await confirmAsListed(scene.database, id, scene.listing);
    await scene.book();
    expect((await scene.coffer('release', id, ...WHY)).out).toContain('is in suspense');
    expect((await scene.coffer('list', '--unattributed')).out).toContain(id);
    expect(await scene.refusalOf('release', id, ...WHY)).toContain('It is released already');
    expect((await scene.coffer('resolve', id, '--merchant', intent.tenant.merchantId, ...WHY)).code).toBe(0);
    expect(await centsIn('USDT')).toBe(2500);
  });

  it('is the only one that can be released or kept', async () => {
    const id = await scene.aWrongToken(intent);
    for (const verb of ['release', 'keep']) {
      expect(await scene.refusalOf(verb, id, ...WHY)).toContain('It was never frozen');
    }
  });
});
