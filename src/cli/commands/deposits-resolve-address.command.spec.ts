import { auditEntriesOf } from '../../../test/support/audit-entries.js';
import { RefundScene } from '../../../test/support/refund-scene.js';
import { confirmAsListed, listExactly } from '../../../test/support/listed-senders.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import { aChain, freeAddresses } from '../../../test/support/factories.js';
import { unownedKeyIn } from '../../../test/support/random-values.js';
import { query } from '../../../test/support/sql.js';
import { TRON_CONDITIONS } from '../../../test/support/tron-conditions.js';
import { keptConditions } from '../../chains/tron/payment-conditions.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { createLogger } from '../../platform/logging.js';
import { SuspenseBooking } from '../../suspense/suspense-booking.service.js';
import { insertConditions } from '../../treasury/expiring/payment-conditions.sql.js';

const WHY = ['--reason', 'ticket 7'] as const;
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const UNITS = '25000000';

let scene: RefundScene;

beforeAll(async () => {
  scene = await RefundScene.open();
});
afterAll(() => scene.close());

/** Proves that a refusal leaves the deposit unchanged and orders nothing. */
async function refusalOf(depositId: string, destination: string): Promise<string> {
  const { code, out, err } = await scene.resolve(depositId, destination);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  return err;
}

const setDeposit = (id: string, change: string): Promise<unknown> =>
  query(scene.database, `update deposit set ${change} where id = $1`, [id]);

describe('coffer deposits resolve --to-address', () => {
  it('takes the deposit out of suspense with the order, prints the expected fee, and is audited [G-95]', async () => {
    const depositId = await scene.aDeposit();
    const { code, out, err } = await scene.resolve(depositId, RECEIVER);
    const [order] = await scene.ordersOf(depositId);
    const id = order?.id ?? '';
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `Refund ${id} is ordered: deposit ${depositId}, 25 USDC on polygon (sandbox), to ${RECEIVER}.\n` +
        // 65,000 gas at 1.25 * 1 + 30 gwei.
        'You pay the network fee: 0.00203125 POL are expected.\n' +
        `Next: npx coffer refunds show ${id}\n`,
    );
    expect(await scene.facts(id)).toEqual({
      status: 'broadcasting',
      waitingReason: null,
      isSigned: false,
      failureCode: null,
      txHash: null,
      heldAs: 'returning',
      balances: { chain: `-${UNITS}`, returning: UNITS },
    });
    const actor = expect.stringMatching(/^.+@.+$/);
    const details = { return: id, to: RECEIVER };
    expect(await auditEntriesOf(scene.database, depositId)).toEqual([
      { action: 'deposit.return', actor, reason: 'sent by mistake', details },
    ]);
  });

  it('orders a refund that waits while the issuer of its token takes a fee, and says so', async () => {
    const polygon = scene.chain;
    scene.chain = await aChain(scene.database, { network: 'tron' });
    const { chainRef, contract } = scene.chain;
    const conditions = keptConditions({ ...TRON_CONDITIONS, changedTokens: [contract] });
    await scene.database.rows(insertConditions(chainRef, conditions, new Date()));
    const depositId = await scene.aDeposit();
    scene.chain = polygon;
    const { out, err } = await scene.resolve(depositId, unownedKeyIn('tron'));
    expect(err).toBe('');
    expect(out).toContain(
      'It waits: The issuer of the token takes a fee of each transfer, or has deprecated its contract. Nothing is paid in it until that ends.\n',
    );
  });

  it('accepts an address in any letter case, also a deposit address of the service', async () => {
    const [ours = ''] = await freeAddresses(scene.database, 1);
    for (const spelling of [RECEIVER.toLowerCase(), `0x${RECEIVER.slice(2).toUpperCase()}`, ours.toLowerCase()]) {
      const depositId = await scene.aDeposit();
      expect((await scene.resolve(depositId, spelling)).code).toBe(0);
      const [order] = await scene.ordersOf(depositId);
      expect(order?.destination.toLowerCase()).toBe(spelling.toLowerCase());
    }
  });

  const INVALID = 'The destination is not a valid address of the network polygon.';
  const OWN = 'The destination is a token of polygon, or a wallet of this service.';

  it.each<[what: string, destination: () => Promise<string>, refusal: string]>([
    ['that is none', async () => 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', INVALID],
    ['with a wrong checksum', async () => RECEIVER.replace('C51812dc', 'c51812DC'), INVALID],
    ['of a token', async () => scene.chain.contract.toUpperCase().replace('0X', '0x'), OWN],
    ['that is zero', async () => `0x${'0'.repeat(40)}`, INVALID],
    [
      'of the hot wallet',
      async () => (await scene.vault.hotWallet('sandbox', 'polygon')).addressKey.toUpperCase().replace('0X', '0x'),
      OWN,
    ],
    [
      'of solana',
      async () => 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
      'The destination is an address of solana, and the payment is on polygon.',
    ],
  ])('refuses an address %s', async (_what, destination, refusal) => {
    const depositId = await scene.aDeposit();
    expect(await refusalOf(depositId, await destination())).toContain(refusal);
    expect(await scene.ordersOf(depositId)).toEqual([]);
    expect(await scene.balances(depositId)).toEqual({ chain: `-${UNITS}`, suspense: UNITS });
  });

  it('refuses an address on the sanctions list, in any letter case [I-120]', async () => {
    const listed = `0x${'ad'.repeat(20)}`;
    await listExactly(scene.database, listed);
    expect(await refusalOf(await scene.aDeposit(), `0x${'AD'.repeat(20)}`)).toContain(
      'The destination is on a sanctions list.',
    );
  });

  it.each<[what: string, deposit: () => Promise<string>, answer: RegExp]>([
    ['that there is not', async () => 'dep_unknown', /No such deposit/],
    [
      'that is gone',
      async () => {
        const id = await scene.aDeposit();
        await setDeposit(id, 'gone_at = now()');
        return id;
      },
      /A reorg removed it after it was final/,
    ],
    [
      'of a listed sender, before it is released',
      async () => {
        const [address = ''] = await freeAddresses(scene.database, 1);
        const traits = { chain: scene.chain, address, reason: 'address_not_assigned', status: 'seen' } as const;
        const id = await anUnattributedDeposit(scene.database, traits);
        const [listing = ''] = await listExactly(scene.database, `0x${'ae'.repeat(20)}`);
        await confirmAsListed(scene.database, id, listing);
        await new SuspenseBooking(scene.database, new LedgerService(), createLogger('silent')).bookFinal();
        return id;
      },
      /It is on hold .*Release it first/,
    ],
    [
      'that is already being refunded',
      async () => (await scene.anOrder(RECEIVER)).depositId,
      new RegExp(
        `It is on its way out to ${RECEIVER} by ret_\\w+: cancel that first \\(npx coffer refunds cancel\\), or`,
      ),
    ],
    [
      'that was returned',
      async () => {
        const { id, depositId } = await scene.anOrder();
        await scene.signer.sign(scene.vault, id);
        await scene.ends(id, true);
        return depositId;
      },
      /It is resolved already: by .+@.+ at \d{4}-.*Z, "sent by mistake"\./,
    ],
  ])('refuses a deposit %s', async (_what, deposit, answer) => {
    expect(await refusalOf(await deposit(), RECEIVER)).toMatch(answer);
  });

  it('refuses a deposit on a chain, or in a token, that is not in use', async () => {
    const depositId = await scene.aDeposit();
    const { chainRef, contract } = scene.chain;
    const setToken = (isEnabled: boolean): Promise<unknown> =>
      query(scene.database, `update chain_token set enabled = $3 where chain_ref = $1 and contract = $2`, [
        chainRef,
        contract,
        isEnabled,
      ]);
    await setToken(false);
    const answer = 'USDC on polygon (sandbox) cannot be paid out: the chain or the token is not in use.';
    expect(await refusalOf(depositId, RECEIVER)).toContain(answer);
    await setToken(true);
    await query(scene.database, `update chain set active = false where id = $1`, [chainRef]);
    expect(await refusalOf(depositId, RECEIVER)).toContain(answer);
    await query(scene.database, `update chain set active = true where id = $1`, [chainRef]);
  });

  it('orders once when four commands run at the same time, also when some credit a merchant [I-111]', async () => {
    const { merchantId } = await scene.payouts.merchant();
    const depositId = await scene.aDeposit();
    const runs = await Promise.all([
      scene.resolve(depositId, RECEIVER),
      scene.coffer('deposits', 'resolve', depositId, '--merchant', merchantId, ...WHY),
      scene.resolve(depositId, RECEIVER),
      scene.coffer('deposits', 'resolve', depositId, '--merchant', merchantId, ...WHY),
    ]);
    expect(runs.filter(({ code }) => code === 0)).toHaveLength(1);
    expect((await auditEntriesOf(scene.database, depositId)).length).toBe(1);
  });

  it('requires one recipient and a reason', async () => {
    const both = await scene.coffer(
      'deposits',
      'resolve',
      'dep_x',
      '--merchant',
      'm',
      '--to-address',
      RECEIVER,
      ...WHY,
    );
    expect(both.err).toContain('Name exactly one of --to-pocket, --merchant and --to-address.');
    const silent = await scene.coffer('deposits', 'resolve', 'dep_x', '--to-address', RECEIVER);
    expect(silent.err).toContain('--reason is missing');
  });
});
