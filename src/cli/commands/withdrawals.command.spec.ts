import { auditEntriesOf } from '../../../test/support/audit-entries.js';
import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { SandboxChain } from '../../../test/support/sandbox-chain.js';
import { withdrawalOperationsOn } from '../../../test/support/withdrawal-operations.js';
import type { Tenant } from '../../domain/tenant.js';
import { PocketReader } from '../../ledger/pocket-reader.service.js';

let scene: PayoutScene;
let tenant: Tenant;
let node: SandboxChain;

beforeAll(async () => {
  scene = await PayoutScene.open();
  node = await SandboxChain.start(scene.database, scene.chain);
});
afterAll(async () => {
  await node.stop();
  await scene.close();
});
beforeEach(async () => {
  tenant = await scene.merchant();
});
const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: scene.db.url });
const sign = ({ id }: Ordered): Promise<unknown> => scene.signer.sign(scene.vault, id);

async function pocketOf({ pocketId }: Ordered) {
  return new PocketReader(scene.database).get(tenant, pocketId);
}

describe('coffer withdrawals waiting', () => {
  it('shows why each waits, and what the hot wallet holds and withdrawals want', async () => {
    await scene.hold(24_000_000n, 10n ** 20n);
    const [short, fresh] = [await scene.order(tenant), await scene.order(await scene.merchant())];
    await sign(short);
    const { code, out, err } = await coffer('withdrawals', 'waiting');
    await scene.hold(10n ** 12n, 10n ** 21n);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      new RegExp(`${short.id} +\\d s +${tenant.merchantId} +sandbox/polygon +25 USDC +The hot wallet holds less than`),
    );
    expect(out).toMatch(new RegExp(`${fresh.id} .* No open vault has checked it yet.`));
    expect(out).toMatch(/\nHOT WALLET +TOKEN +HOLDS +FREE +COMING +WANTED +ADDRESS\n/);
    expect(out).toMatch(/\nsandbox\/polygon +USDC +24 +24 +0 +50 +0x[0-9a-fA-F]{40}\n/);
    expect(out).toMatch(/\nsandbox\/polygon +POL +100 +100 +0 +0 +0x/);
  });

  it('exits 1 once one has waited 10 minutes to be sent, or 45 minutes to be final', async () => {
    const ordered = async (minutesAgo: number) => scene.order(await scene.merchant(), { minutesAgo });
    const sent = async (minutesAgo: number) => {
      const { id } = await ordered(minutesAgo);
      await scene.query(
        `update withdrawal set tx_hash = '0xab', signed_at = now() - $2 * interval '1 minute' where id = $1`,
        [id, minutesAgo],
      );
      return { id };
    };
    const fine = [await ordered(9), await sent(44)];
    expect((await coffer('withdrawals', 'waiting')).code).toBe(0);
    const late = [await ordered(11), await sent(46)];
    const { code, out } = await coffer('withdrawals', 'waiting', '--json');
    expect(code).toBe(1);
    const lines = out.trimEnd().split('\n');
    const found = new Map(lines.map((line): [string, object] => [JSON.parse(line).id, JSON.parse(line)]));
    const unsigned = { waits_for: 'not_looked_at', amount_decimal: '25' };
    expect([...fine, ...late].map(({ id }) => found.get(id))).toMatchObject([
      { ...unsigned, overdue: false },
      { waits_for: 'not_final', overdue: false },
      { ...unsigned, overdue: true },
      { waits_for: 'not_final', overdue: true },
    ]);
  });
});

describe('coffer withdrawals show', () => {
  it('shows terms, the transaction with its attempts, and the decision of the vault', async () => {
    const ordered = await scene.order(tenant);
    await sign(ordered);
    const [attempt] = await scene.query<{ tx_hash: string; max_fee_per_gas: string }>(
      `select attempt.* from transaction_attempt attempt join chain_transaction on id = transaction_id
        where purpose_id = $1`,
      [ordered.id],
    );
    const { code, out } = await coffer('withdrawals', 'show', ordered.id);
    expect(code).toBe(0);
    expect(out).toMatch(/Status +broadcasting: not_sent \(It is signed, and no node has accepted it yet.\)/);
    expect(out).toMatch(/Amount +25 USDC on polygon\nFee +0.01 USDC \(standard\)\nTo +0x7a/);
    expect(out).toMatch(/Sender +0x[0-9a-f]{40}, nonce \d+/);
    expect(out).toMatch(new RegExp(`\n1 .* ${attempt?.max_fee_per_gas} +30000000000 +${attempt?.tx_hash}\n`));
    expect(out).toMatch(new RegExp(`vault +signed attempt 1 +${attempt?.tx_hash}\n$`));
  });

  it('refuses an id without a withdrawal', async () => {
    expect(await coffer('withdrawals', 'show', 'wd_unknown')).toMatchObject({
      code: 1,
      err: 'coffer withdrawals show: No such withdrawal.\n',
    });
  });
});

describe('coffer withdrawals cancel', () => {
  const command = (id: string) => ['withdrawals', 'cancel', id, '--reason', 'ordered by mistake'];
  const cancel = (id: string): Promise<CliRun> =>
    runCommand(command(id), { DATABASE_URL: scene.db.url, DATA_DIR: node.dataDir });

  it('returns the money of an unsigned withdrawal, notifies the merchant, and is audited', async () => {
    const ordered = await scene.order(tenant);
    expect(await pocketOf(ordered)).toMatchObject({ available_cents: 0, held_cents: 2501 });
    expect(await cancel(ordered.id)).toMatchObject({ code: 0, err: '' });
    expect(await pocketOf(ordered)).toMatchObject({ available_cents: 2501, held_cents: 0 });
    const events = await scene.query<{ type: string; data: object }>(
      `select type, data::jsonb from event where resource_id = $1`,
      [ordered.id],
    );
    expect(events).toMatchObject([
      { type: 'withdrawal.failed', data: { status: 'failed', failure_code: 'cancelled', tx_hash: null } },
    ]);
    expect(await auditEntriesOf(scene.database, ordered.id)).toEqual([
      {
        actor: expect.stringMatching(/^.+@.+$/),
        action: 'withdrawal.cancel',
        reason: 'ordered by mistake',
        details: {},
      },
    ]);
    expect((await coffer('withdrawals', 'show', ordered.id)).out).toMatch(/withdrawal\.cancel +ordered by mistake\n$/);
    expect(await cancel(ordered.id)).toMatchObject({ code: 1, err: expect.stringContaining('is already failed') });
  });

  it('refuses one that is signed, since it may be mined at any time [I-111]', async () => {
    const ordered = await scene.order(tenant);
    await sign(ordered);
    expect(await cancel(ordered.id)).toMatchObject({ code: 1, err: expect.stringContaining('cannot be cancelled') });
    expect(await pocketOf(ordered)).toMatchObject({ available_cents: 0, held_cents: 2501 });
    expect(await auditEntriesOf(scene.database, ordered.id)).toEqual([]);
  });

  it('refuses while the wallet has unrecorded transactions, one of which may have paid it [H-106]', async () => {
    const ordered = await scene.order(tenant);
    const count = (by: number) => scene.query(`update hot_wallet set chain_nonce = next_nonce + $1`, [by]);
    await count(1);
    expect(await cancel(ordered.id)).toMatchObject({ code: 1, err: expect.stringContaining('may have paid it') });
    await count(0);
    expect((await cancel(ordered.id)).code).toBe(0);
  });

  it('asks the chain, since the stored count may be outdated, and refuses without its answer [H-106]', async () => {
    const ordered = await scene.order(tenant);
    await scene.countOnChain();
    const [{ next_nonce: next } = { next_nonce: '' }] = await scene.query<{ next_nonce: string }>(
      `select next_nonce from hot_wallet`,
    );
    node.counted = Number(next) + 1;
    expect(await cancel(ordered.id)).toMatchObject({ code: 1, err: expect.stringContaining('may have paid it') });
    node.counted = 0;
    expect(await coffer(...command(ordered.id))).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be asked from here'),
    });
    await scene.query(`update hot_wallet set chain_nonce = null`);
    expect(await cancel(ordered.id)).toMatchObject({ code: 1, err: expect.stringContaining('try again in a minute') });
    await scene.countOnChain();
    expect(await pocketOf(ordered)).toMatchObject({ available_cents: 0, held_cents: 2501 });
    expect((await cancel(ordered.id)).code).toBe(0);
  });

  it('and the vault never both win, in either order [I-111]', async () => {
    const orders: Ordered[] = [];
    for (let n = 0; n < 12; n++) orders.push(await scene.order(await scene.merchant()));
    const ends = await Promise.all(
      orders.map(async (ordered, n) => {
        const both = [() => sign(ordered), () => cancelNow(ordered)];
        await Promise.allSettled((n % 2 === 0 ? both : both.toReversed()).map((act) => act()));
        const [row] = await scene.query<{ status: string; signed: number }>(
          `select status, (select count(*)::int from chain_transaction where purpose_id = withdrawal.id) as signed
             from withdrawal where id = $1`,
          [ordered.id],
        );
        return row;
      }),
    );
    for (const end of ends) {
      expect([
        { status: 'broadcasting', signed: 1 },
        { status: 'failed', signed: 0 },
      ]).toContainEqual(end);
    }
  });

  const cancelNow = ({ id }: Ordered): Promise<void> =>
    scene.database.transaction((tx) =>
      withdrawalOperationsOn(scene.database).cancel(tx, id, { actor: 'spec', reason: 'a race' }, []),
    );
});

describe('coffer withdrawals freeze', () => {
  const why = ['--env', 'sandbox', '--reason', 'the key may have leaked'];

  it('signs nothing on a network until it is unfrozen, and then what waits', async () => {
    expect(await coffer('withdrawals', 'freeze', '--network', 'polygon', ...why)).toMatchObject({
      code: 0,
      out: 'FROZEN: nothing is signed for sandbox/polygon until you unfreeze it.\n',
    });
    const ordered = await scene.order(tenant);
    await sign(ordered);
    expect(await scene.waitsFor(ordered.id)).toBe('wallet_frozen');
    expect(await coffer('withdrawals', 'waiting')).toMatchObject({
      out: expect.stringContaining('Signing on this chain is frozen'),
      err: 'sandbox/polygon is frozen: the key may have leaked\n',
    });
    const again = ['--env', 'sandbox', '--reason', 'an audit'];
    expect((await coffer('withdrawals', 'freeze', '--network', 'polygon', ...again)).out).toBe(
      'sandbox/polygon was already frozen. It stays frozen for both reasons: the key may have leaked\n',
    );

    const unfreeze = [
      'withdrawals',
      'unfreeze',
      '--network',
      'polygon',
      '--env',
      'sandbox',
      '--despite-unasked',
      '--reason',
      'a false alarm',
    ];
    expect((await coffer(...unfreeze)).out).toBe(
      'sandbox/polygon signs again. It was frozen for: the key may have leaked; an audit\n',
    );
    expect((await coffer(...unfreeze)).out).toBe('sandbox/polygon was not frozen.\n');
    await sign(ordered);
    expect(await scene.waitsFor(ordered.id)).toBe('balance_unknown');
    await scene.countOnChain();
    await sign(ordered);
    expect(await scene.waitsFor(ordered.id)).toBeNull();
    expect(await auditEntriesOf(scene.database, scene.chain.chainRef)).toMatchObject([
      { action: 'signing.freeze', reason: 'the key may have leaked' },
      { action: 'signing.freeze', reason: 'an audit' },
      { action: 'signing.unfreeze', reason: 'a false alarm', details: { frozen: 'the key may have leaked; an audit' } },
    ]);
  });

  it('is not lifted while the wallet has unrecorded transactions, nor while the chain cannot be asked [H-106]', async () => {
    await coffer('withdrawals', 'freeze', '--network', 'polygon', ...why);
    await scene.query(`update hot_wallet set chain_nonce = next_nonce + 2`);
    const [{ next_nonce: next } = { next_nonce: '' }] = await scene.query<{ next_nonce: string }>(
      `select next_nonce from hot_wallet`,
    );
    const unfreeze = (...more: string[]) => coffer('withdrawals', 'unfreeze', '--network', 'polygon', ...why, ...more);
    const ahead = {
      code: 1,
      err: expect.stringContaining(`with the nonces ${next} to ${Number(next) + 1}. Adopt them first`),
    };
    expect([await unfreeze(), await unfreeze('--despite-unasked')]).toEqual([
      expect.objectContaining(ahead),
      expect.objectContaining(ahead),
    ]);
    // After a restore the old count is void, and the chain was not asked yet.
    await scene.query(`update hot_wallet set chain_nonce = null`);
    expect(await unfreeze()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be asked from here[^]*What to try: .* --despite-unasked\./),
    });
    expect((await unfreeze('--despite-unasked')).code).toBe(0);
    await scene.countOnChain();
  });

  it('signs nothing for a merchant, and everything for the others', async () => {
    const freeze = ['withdrawals', 'freeze', '--merchant', tenant.merchantId, ...why];
    for (let times = 0; times < 2; times++) expect((await coffer(...freeze)).code).toBe(0);
    const both = 'the key may have leaked; the key may have leaked';
    const [frozen, other] = [await scene.order(tenant), await scene.order(await scene.merchant())];
    await Promise.all([sign(frozen), sign(other)]);
    expect([await scene.waitsFor(frozen.id), await scene.waitsFor(other.id)]).toEqual(['merchant_frozen', null]);
    expect((await coffer('withdrawals', 'unfreeze', '--merchant', tenant.merchantId, ...why)).out).toContain(both);
    const subject = `${tenant.merchantId}/${tenant.environment}`;
    expect(await auditEntriesOf(scene.database, subject)).toMatchObject([
      {},
      {},
      { action: 'signing.unfreeze', details: { frozen: both } },
    ]);
    await sign(frozen);
    expect(await scene.waitsFor(frozen.id)).toBeNull();
  });

  it('refuses an invalid place', async () => {
    const freeze = (...args: string[]) => coffer('withdrawals', 'freeze', ...args);
    expect((await freeze(...why)).code).toBe(2);
    expect((await freeze('--network', 'polygon', '--merchant', 'mer_1', ...why)).code).toBe(2);
    expect((await freeze('--network', 'polygon', '--env', 'sandbox')).err).toContain('--reason is missing');
    expect(await freeze('--network', 'bnb', ...why)).toMatchObject({
      code: 1,
      err: expect.stringContaining('hot wallet'),
    });
    expect(await freeze('--merchant', 'mer_1', ...why)).toMatchObject({
      code: 1,
      err: 'coffer withdrawals freeze: No such merchant.\n',
    });
  });
});
