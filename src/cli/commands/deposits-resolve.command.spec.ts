import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  freeAddresses,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { SuspenseScene } from '../../../test/support/suspense-scene.js';
import { settlementOn } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import type { Tenant } from '../../domain/tenant.js';
import { PocketReader } from '../../ledger/pocket-reader.service.js';

const WHY = ['--reason', 'ticket 7'] as const;

let scene: SuspenseScene;
let intent: SeededIntent;
let tenant: Tenant;

beforeAll(async () => {
  scene = await SuspenseScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  intent = await scene.anIntent();
  ({ tenant } = intent);
});

/** A pocket that holds 25 of the chain's token, opened by a payment. */
async function aPocket(of: Tenant, chain = scene.polygon): Promise<string> {
  const paid = await anIntent(scene.database, { tenant: of, chain });
  await aDeposit(scene.database, paid, { status: 'confirmed' });
  await settlementOn(scene.database).settle(paid.id);
  return (await scene.pocketOf(of, chain.symbol))?.id ?? '';
}

describe('coffer deposits resolve', () => {
  it('credits the merchant of the address, once, and is audited [G-95]', async () => {
    const id = await scene.aWrongToken(intent);
    expect((await scene.coffer('unattributed', '--limit', '1')).out).toMatch(/for USDC; it is in suspense\n$/);
    const { code, out } = await scene.coffer('resolve', id, '--merchant', tenant.merchantId, ...WHY);
    const pocket = await scene.pocketOf(tenant, 'USDT');
    expect({ code, out }).toEqual({
      code: 0,
      out: `Deposit ${id}, 25 USDT on polygon (sandbox), is in the pocket ${pocket?.id}.\n`,
    });
    expect(pocket).toMatchObject({ available_cents: 2500 });
    const entries = await new PocketReader(scene.database).entries(tenant, pocket?.id ?? '', { limit: 10 });
    expect(entries.data).toMatchObject([{ kind: 'resolution', reference: `resolution:${id}`, amount: '25000000' }]);
    const actor = expect.stringMatching(/^.+@.+$/);
    const details = { pocket: pocket?.id };
    expect(await scene.audited(id)).toEqual([{ action: 'deposit.resolve', actor, reason: 'ticket 7', details }]);
    expect((await scene.coffer('unattributed', '--limit', '1')).out).toMatch(/the intent asks for USDC; resolved\n$/);
    expect(await scene.refusalOf('resolve', id, '--to-pocket', pocket?.id ?? '', ...WHY)).toMatch(
      /It is resolved already: by .+@.+ at \d{4}-.*Z, "ticket 7"\./,
    );
    expect(await scene.pocketOf(tenant, 'USDT')).toMatchObject({ available_cents: 2500 });
  });

  it('books once when four commands run at the same time', async () => {
    const id = await scene.aWrongToken(intent);
    const resolve = () => scene.coffer('resolve', id, '--merchant', tenant.merchantId, ...WHY);
    const runs = await Promise.all([resolve(), resolve(), resolve(), resolve()]);
    expect(runs.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(await scene.pocketOf(tenant, 'USDT')).toMatchObject({ available_cents: 2500 });
  });

  it('credits a deposit to an unassigned address to the pocket that an operator names [G-97]', async () => {
    const [address = ''] = await freeAddresses(scene.database, 1);
    const id = await anUnattributedDeposit(scene.database, {
      chain: scene.polygon,
      address,
      reason: 'address_not_assigned',
    });
    await scene.book();
    const pocket = await aPocket(tenant);
    expect((await scene.coffer('resolve', id, '--to-pocket', pocket, ...WHY)).code).toBe(0);
    expect(await scene.pocketOf(tenant, 'USDC')).toMatchObject({ available_cents: 5000 });
  });

  it.each<[what: string, pocket: () => Promise<string>, answer: RegExp]>([
    [
      'of another token',
      () => aPocket(tenant),
      /The pocket holds USDC \(0x\w+\) on polygon \(sandbox\), and the deposit is of USDT \(0x\w+\) on polygon/,
    ],
    [
      'on another network',
      () => aPocket(tenant, scene.bnb),
      /holds USDC \(0x\w+\) on bnb \(sandbox\), and the deposit/,
    ],
    [
      'in another environment',
      async () => {
        const chain = { ...(await aChain(scene.database, { environment: 'live' })), contract: scene.usdt };
        await query(scene.database, `update chain_token set contract = $2 where chain_ref = $1`, [
          chain.chainRef,
          scene.usdt,
        ]);
        return aPocket({ ...tenant, environment: 'live' }, chain);
      },
      /on polygon \(live\), and the deposit is of USDT \(0x\w+\) on polygon \(sandbox\)/,
    ],
    [
      'of another merchant than the address was given to',
      async () => aPocket(await aMerchant(scene.database), { ...scene.polygon, contract: scene.usdt, symbol: 'USDT' }),
      /Its address was given to mer_\w+, and the pocket is mer_\w+'s/,
    ],
    ['that there is not', async () => 'pkt_unknown', /No such pocket/],
  ])('refuses a pocket %s [H-103]', async (_what, pocket, answer) => {
    const id = await scene.aWrongToken(intent);
    expect(await scene.refusalOf('resolve', id, '--to-pocket', await pocket(), ...WHY)).toMatch(answer);
    expect((await scene.coffer('list', '--unattributed', '--limit', '500')).out).toContain(id);
  });

  it.each<[what: string, deposit: () => Promise<string>, answer: RegExp]>([
    ['that there is not', async () => 'dep_unknown', /No such deposit/],
    ['that is not final', () => scene.aWrongToken(intent, 'seen'), /It is not final yet/],
    ['that pays an intent', () => aDeposit(scene.database, intent, { status: 'confirmed' }), /It is not unattributed/],
    ['that is frozen', () => scene.aFrozenPayment(intent), /It is on hold .*Release it first/],
    [
      'that no worker has booked',
      () => {
        const { polygon: chain, usdt: contract } = scene;
        return anUnattributedDeposit(scene.database, {
          chain,
          address: intent.address,
          reason: 'other_token',
          contract,
        });
      },
      /It is not booked yet/,
    ],
  ])('refuses a deposit %s', async (_what, deposit, answer) => {
    expect(await scene.refusalOf('resolve', await deposit(), '--merchant', tenant.merchantId, ...WHY)).toMatch(answer);
  });

  it('requires a reason and one recipient', async () => {
    const id = await scene.aWrongToken(intent);
    expect(await scene.refusalOf('resolve', id, '--merchant', tenant.merchantId)).toContain('--reason is missing');
    expect(await scene.refusalOf('resolve', id, ...WHY)).toContain(
      'Name exactly one of --to-pocket, --merchant and --to-address',
    );
    expect(await scene.refusalOf('resolve', id, '--merchant', 'mer_unknown', ...WHY)).toContain('No such merchant');
  });
});
