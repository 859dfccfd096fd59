import { type CliRun, runCommand } from '../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  freeAddresses,
  type SeededChain,
  type SeededIntent,
} from '../../test/support/factories.js';
import { confirmAsListed, listExactly } from '../../test/support/listed-senders.js';
import { settlementOn } from '../../test/support/settlement.js';
import { aStray, aToken } from '../../test/support/strays.js';
import type { Tenant } from '../domain/tenant.js';
import { checkDeposits } from './doctor-deposits.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { PocketReader } from '../ledger/pocket-reader.service.js';
import type { Database } from '../platform/database/database.js';
import { SuspenseBooking } from '../suspense/suspense-booking.service.js';

const LISTED = `0x${'ad'.repeat(20)}`;
const WHY = ['--reason', 'ticket 7'] as const;

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let polygon: SeededChain;
let bnb: SeededChain;
let intent: SeededIntent;
let usdt: string;
let listing: string;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
  polygon = await aChain(database);
  bnb = await aChain(database, { network: 'bnb', decimals: 18 });
  usdt = await aToken(database, polygon, 'USDT');
  [listing = ''] = await listExactly(database, LISTED);
});
afterAll(() => db.drop());
beforeEach(async () => {
  tenant = await aMerchant(database);
  intent = await anIntent(database, { tenant, chain: polygon });
});

const coffer = (...args: string[]): Promise<CliRun> => runCommand(['deposits', ...args], { DATABASE_URL: db.url });
const book = (): Promise<number> => new SuspenseBooking(database, new LedgerService()).bookFinal();

/** 25 USDT that were sent to the address of an intent in USDC, booked unless it is not final. */
async function aWrongToken(status: 'seen' | 'confirmed' = 'confirmed'): Promise<string> {
  const { address } = intent;
  const id = await aStray(database, { chain: polygon, address, reason: 'other_token', contract: usdt, status });
  await book();
  return id;
}

/** A payment of the intent by a listed sender, settled. */
async function aFrozenPayment(): Promise<string> {
  const id = await aDeposit(database, intent);
  await confirmAsListed(database, id, listing);
  await settlementOn(database).settle(intent.id);
  return id;
}

/** The pocket of a merchant in a token, as the API shows it. */
async function pocketOf(token: string, of = tenant) {
  const { data } = await new PocketReader(database).list(of, { limit: 100 });
  return data.find((pocket) => pocket.token === token);
}

const audited = (subject: string) =>
  database.query<{ action: string; actor: string; reason: string; details: object }>(
    `select action, actor, reason, details from audit_entry where subject = $1 order by id`,
    [subject],
  );

/** What a command answers that refuses. */
async function refusalOf(...args: string[]): Promise<string> {
  const { code, out, err } = await coffer(...args);
  expect({ code: code === 0, out }).toEqual({ code: false, out: '' });
  return err;
}

describe('coffer doctor', () => {
  it('warns of deposits that wait for a decision, and fails while one is gone from its chain [L7]', async () => {
    expect(await checkDeposits(database)).toMatchObject([{ level: 'ok' }]);
    const wrong = await aWrongToken();
    await aFrozenPayment();
    expect(await checkDeposits(database)).toMatchObject([
      { level: 'warn', detail: '1 of listed senders are frozen, the oldest for 0 h' },
      { level: 'warn', detail: '1 belong to nobody, the oldest for 0 h' },
    ]);
    await database.query(`update deposit set gone_at = now() where id = $1`, [wrong]);
    expect(await checkDeposits(database)).toContainEqual(
      expect.objectContaining({ level: 'fail', detail: '1 that were final are gone from their chain' }),
    );
    await database.query(`update deposit set gone_at = null`);
  });
});

describe('coffer deposits list', () => {
  it('lists what waits for staff, the oldest first, with the reason in plain words', async () => {
    const wrong = await aWrongToken();
    const frozen = await aFrozenPayment();
    const [free = ''] = await freeAddresses(database, 1);
    const stray = await aStray(database, { chain: bnb, address: free, reason: 'address_not_assigned' });
    await book();
    const { code, out } = await coffer('list');
    expect(code).toBe(0);
    expect(out).toMatch(/^DEPOSIT +HELD AS +SINCE +CHAIN +AMOUNT +MERCHANT +TRANSACTION +REASON\n/);
    expect(out).toMatch(
      new RegExp(`${wrong} +suspense .* sandbox polygon +25 USDT +${tenant.merchantId} .* the intent asks for USDC\n`),
    );
    expect(out).toMatch(new RegExp(`${frozen} +frozen .* sender 0x\\w+ on the sanctions list \\(Lazarus Group\\)\n`));
    expect(out).toMatch(new RegExp(`${stray} +suspense .* none .* address not assigned`));
    const ids = async (...options: string[]): Promise<unknown[]> => {
      const { out: lines } = await coffer('list', '--json', '--limit', '500', ...options);
      return lines === ''
        ? []
        : lines
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line).id);
    };
    expect(await ids()).toEqual(expect.arrayContaining([wrong, frozen, stray]));
    expect((await ids('--after', frozen)).slice(-1)).toEqual([stray]);
    expect(await ids('--frozen')).toContain(frozen);
    expect(await ids('--unattributed')).not.toContain(frozen);
    expect(await ids('--kept')).toEqual([]);
  });
});

describe('coffer deposits resolve', () => {
  it('gives the money to the merchant whose address it reached, once, and is audited [G-95]', async () => {
    const id = await aWrongToken();
    const { code, out } = await coffer('resolve', id, '--merchant', tenant.merchantId, ...WHY);
    const pocket = await pocketOf('USDT');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Deposit ${id}, 25 USDT on polygon (sandbox), is in the pocket ${pocket?.id}.\n`,
    });
    expect(pocket).toMatchObject({ available_cents: 2500 });
    const entries = await new PocketReader(database).entries(tenant, pocket?.id ?? '', { limit: 10 });
    expect(entries.data).toMatchObject([{ kind: 'resolution', reference: `resolution:${id}`, amount: '25000000' }]);
    expect(await audited(id)).toEqual([
      {
        action: 'deposit.resolve',
        actor: expect.stringMatching(/^.+@.+$/),
        reason: 'ticket 7',
        details: { pocket: pocket?.id },
      },
    ]);
    expect(await refusalOf('resolve', id, '--to-pocket', pocket?.id ?? '', ...WHY)).toMatch(
      /It is resolved already: by .+@.+ at \d{4}-.*Z, "ticket 7"\./,
    );
    expect(await pocketOf('USDT')).toMatchObject({ available_cents: 2500 });
  });

  it('books once when two do it at the same moment', async () => {
    const id = await aWrongToken();
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => coffer('resolve', id, '--merchant', tenant.merchantId, ...WHY)),
    );
    expect(runs.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(await pocketOf('USDT')).toMatchObject({ available_cents: 2500 });
  });

  it('gives what reached an address of nobody to whom staff name', async () => {
    const [address = ''] = await freeAddresses(database, 1);
    const id = await aStray(database, { chain: polygon, address, reason: 'address_not_assigned' });
    await book();
    await coffer('resolve', id, '--merchant', tenant.merchantId, ...WHY);
    expect(await pocketOf('USDC')).toMatchObject({ available_cents: 2500 });
  });

  it.each<[what: string, pocket: () => Promise<string>, answer: RegExp]>([
    [
      'of another token',
      async () => {
        await aFrozenPayment();
        return (await pocketOf('USDC'))?.id ?? '';
      },
      /The pocket holds USDC \(0x\w+\) on polygon \(sandbox\), and the deposit is of USDT \(0x\w+\) on polygon/,
    ],
    ['that there is not', async () => 'pkt_unknown', /No such pocket/],
    [
      'of another merchant than the address was given to',
      async () => {
        const other = await aMerchant(database);
        const like = await anIntent(database, { tenant: other, chain: { ...polygon, contract: usdt, symbol: 'USDT' } });
        await aDeposit(database, like, { status: 'confirmed' });
        await settlementOn(database).settle(like.id);
        return (await pocketOf('USDT', other))?.id ?? '';
      },
      /Its address was given to mer_\w+, and the pocket is mer_\w+'s/,
    ],
  ])('refuses a pocket %s', async (_what, pocket, answer) => {
    const id = await aWrongToken();
    expect(await refusalOf('resolve', id, '--to-pocket', await pocket(), ...WHY)).toMatch(answer);
  });

  it('refuses a pocket on another network, and in another environment', async () => {
    const onBnb = await aStray(database, { chain: bnb, address: intent.address, reason: 'other_network' });
    await book();
    await aFrozenPayment();
    const pocket = (await pocketOf('USDC'))?.id ?? '';
    expect(await refusalOf('resolve', onBnb, '--to-pocket', pocket, ...WHY)).toMatch(
      /on polygon .* on bnb \(sandbox\)/,
    );
    const live = { ...tenant, environment: 'live' as const };
    const liveChain = await aChain(database, { environment: 'live' });
    const liveIntent = await anIntent(database, { tenant: live, chain: { ...liveChain, contract: usdt } });
    await aDeposit(database, liveIntent, { status: 'confirmed' });
    await database.query(`update chain_token set contract = $2 where chain_ref = $1`, [liveChain.chainRef, usdt]);
    await settlementOn(database).settle(liveIntent.id);
    const { data } = await new PocketReader(database).list(live, { limit: 10 });
    expect(await refusalOf('resolve', await aWrongToken(), '--to-pocket', data[0]?.id ?? '', ...WHY)).toMatch(
      /on polygon \(live\), and the deposit is of USDT/,
    );
  });

  it.each<[what: string, deposit: () => Promise<string>, answer: RegExp]>([
    ['that there is not', async () => 'dep_unknown', /No such deposit/],
    ['that is not final', () => aWrongToken('seen'), /It is not final yet/],
    ['that pays an intent', () => aDeposit(database, intent, { status: 'confirmed' }), /It is not unattributed/],
    ['that is frozen', aFrozenPayment, /It is frozen, .*: release it first/],
    [
      'that no worker has booked',
      () => aStray(database, { chain: polygon, address: intent.address, reason: 'other_token', contract: usdt }),
      /It is not booked yet/,
    ],
  ])('refuses a deposit %s', async (_what, deposit, answer) => {
    expect(await refusalOf('resolve', await deposit(), '--merchant', tenant.merchantId, ...WHY)).toMatch(answer);
  });

  it('wants a reason, and one recipient', async () => {
    const id = await aWrongToken();
    expect(await refusalOf('resolve', id, '--merchant', tenant.merchantId)).toContain('--reason is missing');
    expect(await refusalOf('resolve', id, ...WHY)).toContain('Name a pocket or a merchant');
    expect(await refusalOf('resolve', id, '--merchant', 'mer_unknown', ...WHY)).toContain('No such merchant');
  });
});

describe('a payment from a listed sender', () => {
  it('pays its intent and is held; released, it is in the pocket, and that once [G-98]', async () => {
    const id = await aFrozenPayment();
    expect(await database.query(`select status from payment_intent where id = $1`, [intent.id])).toEqual([
      { status: 'completed' },
    ]);
    expect(await pocketOf('USDC')).toMatchObject({ available_cents: 0 });
    const { code, out } = await coffer('release', id, ...WHY);
    const pocket = await pocketOf('USDC');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Deposit ${id}, 25 USDC on polygon (sandbox), is in the pocket ${pocket?.id}.\n`,
    });
    expect(pocket).toMatchObject({ available_cents: 2500 });
    expect(await audited(id)).toMatchObject([
      { action: 'deposit.release', reason: 'ticket 7', details: { to: pocket?.id, was: 'frozen' } },
    ]);
    expect(await refusalOf('release', id, ...WHY)).toContain('It is released already: by ');
    expect(await refusalOf('keep', id, ...WHY)).toContain('It is released already: by ');
  });

  it('is kept at the word of staff, which may change [G-98]', async () => {
    const id = await aFrozenPayment();
    expect(await coffer('keep', id, ...WHY)).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 USDC on polygon (sandbox), is kept.\n`,
    });
    expect(await refusalOf('keep', id, ...WHY)).toContain('It is kept already: by ');
    expect((await coffer('list', '--frozen')).out).not.toContain(id);
    expect((await coffer('list', '--kept')).out).toContain(id);
    await coffer('release', id, ...WHY);
    expect(await pocketOf('USDC')).toMatchObject({ available_cents: 2500 });
    expect(await audited(id)).toMatchObject([{ action: 'deposit.keep' }, { details: { was: 'kept' } }]);
  });

  it('that is unattributed goes to suspense when it is released, and from there to a pocket [G-98]', async () => {
    const id = await aWrongToken('seen');
    await confirmAsListed(database, id, listing);
    await book();
    expect((await coffer('release', id, ...WHY)).out).toContain('lies in suspense');
    expect((await coffer('list', '--unattributed')).out).toContain(id);
    expect(await refusalOf('release', id, ...WHY)).toContain('It is released already');
    expect((await coffer('resolve', id, '--merchant', tenant.merchantId, ...WHY)).code).toBe(0);
    expect(await pocketOf('USDT')).toMatchObject({ available_cents: 2500 });
  });

  it('is the only one that can be released or kept', async () => {
    const id = await aWrongToken();
    for (const verb of ['release', 'keep']) {
      expect(await refusalOf(verb, id, ...WHY)).toContain('It was never frozen');
    }
  });
});

describe('the books', () => {
  it('hold in suspense and frozen what the deposits say, whatever staff did [H-102] [L7]', async () => {
    await aWrongToken();
    await aFrozenPayment();
    const broken = await database.query(
      `select account.id from account
         left join (select chain.environment, chain.network || ':' || token_contract as asset,
                           case held_as when 'suspense' then 'suspense' else 'frozen' end as kind, sum(amount) as held
                      from deposit join chain on chain.id = chain_ref where held_as is not null group by 1, 2, 3) held
              using (environment, asset, kind)
        where account.kind in ('suspense', 'frozen') and account.balance <> coalesce(held.held, 0)`,
    );
    expect(broken).toEqual([]);
  });
});
