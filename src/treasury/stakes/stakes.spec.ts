import { eventually } from '../../../test/support/eventually.js';
import { TronCommands } from '../../../test/support/tron-commands.js';
import { auditEntriesOf } from '../../../test/support/audit-entries.js';
import { knowingNone, TronLiar, withoutBlock } from '../../../test/support/tron-liar.js';
import { TronSweepScene } from '../../../test/support/tron-sweep-scene.js';
import { lendableStake } from '../sweeps/energy/lendable-stake.js';
import { StakeOutcomeHandler } from './stake-outcome-handler.service.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
/** Enough to stake for several sweeps, and for their fees. */
const COINS = 40_000n * TRX;
const DAY_SLOTS = 28_800;
const PLACE = ['--network', 'tron', '--reason', 'energy for sweeps'] as const;

let scene: TronSweepScene;
let commands: TronCommands;
beforeAll(async () => {
  scene = await TronSweepScene.open(0n, COINS);
  commands = await TronCommands.of(scene.base);
});
afterAll(async () => {
  await commands.close();
  await scene.close();
});

const stake = (amount: string) => commands.run('treasury', 'stake', '--amount', amount, '--no-wait', ...PLACE);
const unstake = (amount: string) => commands.run('treasury', 'unstake', '--amount', amount, '--no-wait', ...PLACE);
const withdraw = () => commands.run('treasury', 'withdraw-stake', '--no-wait', ...PLACE);
const idIn = (out: string): string => /stk_\w+/.exec(out)?.[0] ?? '';
const cancel = (id: string) => commands.run('treasury', 'cancel-stake', id, '--reason', 'another amount');

/** What the chain says is staked and not lent, lent, due, and on its way back: in TRX. */
async function staked() {
  const { staked: free, lent, due, leaving } = await scene.client.stakeOf(scene.hotWallet);
  return [free, lent, due, ...leaving.map(({ amount }) => amount)].map((units) => units / TRX);
}
const spendable = async (): Promise<bigint> => {
  const [row] = await scene.query<{ amount: string }>(`select amount from hot_balance where token_contract = 'native'`);
  return BigInt(row?.amount ?? 0);
};
/** An order, and the statuses of its transactions. */
const order = async (id: string) => {
  const [row] = await scene.query(
    `select move, succeeded, waiting_reason as waits,
            array(select status from chain_transaction where purpose = 'stake' and purpose_id = stake_order.id) as statuses
       from stake_order where id = $1`,
    [id],
  );
  return row;
};

describe('a stake of the hot wallet', () => {
  it('is ordered once by the same command twice, shown in steps, and stays in the books', async () => {
    const following = commands.run('treasury', 'stake', '--amount', '16000', ...PLACE);
    const [open] = await eventually(
      () => scene.query<{ id: string }>(`select id from stake_order`),
      (orders) => orders.length > 0,
    );
    const id = open?.id ?? '';
    const again = await stake('16000');
    expect(again).toMatchObject({ code: 0, out: `Already ordered: ${id}, stake 16000 TRX.\n` });
    await scene.sign();
    // A snapshot is compared once nothing is in flight.
    expect(await scene.brokenRules()).toEqual([]);
    expect((await stake('16000')).out).toContain(`Already ordered: ${id}`);
    expect((await stake('15999')).err).toContain(`${id} is open, which is another order`);
    expect((await cancel(id)).err).toContain(
      `was signed here for ${id}, and the nodes do not prove that it is never mined`,
    );
    await scene.send();
    expect(await scene.brokenRules()).toEqual([]);
    await scene.confirm();
    await scene.expectBooksInOrder();
    const { code, out } = await following;
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^ORDERED: ${id}, stake 16000 TRX\\.\n(  .*\n)*  It is final: [0-9a-f]{64}\\.\n$`));
    expect(await order(id)).toEqual({ move: 'stake', succeeded: true, waits: null, statuses: ['succeeded'] });
    expect(await staked()).toEqual([16_000n, 0n, 0n]);
    // Its bytes are free: an account has some each day.
    expect(await spendable()).toBe(COINS - 16_000n * TRX);
    const audited = await scene.query(`select subject, reason, details ->> 'amount' as amount from audit_entry
                                        where action = 'treasury.stake'`);
    expect(audited).toEqual([{ subject: id, reason: 'energy for sweeps', amount: String(16_000n * TRX) }]);
  });

  it('lends its energy to a sweep, and cannot be taken back meanwhile', async () => {
    await scene.paid('USDT', 25n * DOLLAR);
    await scene.plan();
    const [loan] = await scene.query<{ stake: string }>(`select stake from energy_loan`);
    const free = 16_000n - BigInt(loan?.stake ?? 0) / TRX;
    expect((await unstake('16000')).err).toContain(`At most ${free} TRX can be taken back now`);
    await scene.step();
    await scene.step();
    expect(await staked()).toEqual([free, 16_000n - free, 0n]);
    expect((await unstake(String(free + 1n))).err).toContain(`At most ${free} TRX can be taken back now`);
    await scene.step();
    await scene.step();
    expect((await scene.sweeps()).at(-1)).toMatchObject({ burned: '0', returned: ['succeeded'] });
    expect(await staked()).toEqual([16_000n, 0n, 0n]);
    await scene.expectBooksInOrder();
  });

  it('comes back after 14 days, and is not lent from the order on', async () => {
    expect((await withdraw()).err).toContain('Nothing is on its way back from the stake.');
    const lendable = (height: number) =>
      lendableStake(
        scene.base.db.database.em(),
        scene.chainRef,
        { stake: 16_000n * TRX, height },
        { withUnsigned: false },
      );
    const { finalizedHeight } = await scene.base.cursor();
    const id = idIn((await unstake('10000')).out);
    expect(await lendable(finalizedHeight)).toBe(6_000n * TRX);
    await scene.step();
    expect(await order(id)).toMatchObject({ succeeded: true, statuses: ['succeeded'] });
    expect(await lendable(finalizedHeight)).toBe(6_000n * TRX);
    expect(await staked()).toEqual([6_000n, 0n, 0n, 10_000n]);
    await scene.expectBooksInOrder();
    expect((await withdraw()).err).toMatch(/Nothing is due yet: 10000 TRX are at \d{4}-/);
    for (let week = 0; week < 5; week++) await scene.base.rig.controls.miss(3 * DAY_SLOTS);
    await scene.settle();
    expect(await staked()).toEqual([6_000n, 0n, 10_000n]);
    const before = await spendable();
    const withdrawal = idIn((await withdraw()).out);
    await scene.step();
    expect(await order(withdrawal)).toMatchObject({ move: 'withdraw', succeeded: true });
    await scene.expectBooksInOrder();
    expect(await spendable()).toBe(before + 10_000n * TRX);
    const { out } = await commands.run('treasury', 'stakes', '--network', 'tron');
    expect(out).toContain('staked and not lent   6000 TRX');
    expect(out).toContain('withdraw what is due');
  });
});

describe('the limits of a stake', () => {
  it('are what the hot wallet owes and what fees need, for the command and for the vault', async () => {
    const refused = await stake('1000000');
    expect(refused.code).toBe(1);
    const most = /At most (\d+)(\.\d+)? TRX can be staked/.exec(refused.err)?.[1] ?? '';
    expect(refused.err).toMatch(/it keeps \d+(\.\d+)? TRX for the fees of sweeps and 0 TRX that it owes/);
    // A merchant's coins in the hot wallet, which a withdrawal may ask for at any time.
    await scene.paid('TRX', 3_000n * TRX);
    await scene.sweep();
    await scene.compare();
    const owing = await stake(String(BigInt(most) + 1_000n));
    // The sun that activated another address is nobody's deposit.
    expect(owing.err).toContain('and 3000 TRX that it owes');
    const id = idIn((await stake('10')).out);
    await scene.asOwner(`update stake_order set amount = ${1_000_000n * TRX} where id = '${id}'`);
    await scene.sign();
    expect(await order(id)).toMatchObject({ statuses: [], waits: 'coins_missing' });
    expect(await cancel(id)).toMatchObject({ code: 0, out: `CANCELLED: ${id}. Nothing was signed for it.\n` });
    await scene.sign();
    expect(await order(id)).toMatchObject({ succeeded: false, statuses: [] });
    await scene.expectBooksInOrder();
  });

  it.each([
    ['less than the chain takes', () => stake('0.5'), 'The chain stakes 1 TRX at least.'],
    ['no amount', () => stake('many'), '--amount must be an amount of TRX'],
    [
      'another network',
      () => commands.run('treasury', 'stake', '--amount', '5', '--network', 'polygon', '--reason', 'x'),
      'polygon',
    ],
  ])('refuse %s', async (_what, run, message) => {
    const { code, err } = await run();
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});

describe('an order to stake that ends without a stake', () => {
  it('has expired on all nodes before another one is signed', async () => {
    const liar = await TronLiar.start(scene.base.rig.url);
    try {
      await scene.restartWorker([scene.base.rig.url, liar.url]);
      const [before] = await staked();
      const id = idIn((await stake('100')).out);
      await scene.sign();
      const end = `update stake_order set finished_at = now(), succeeded = false where id = $1`;
      await expect(scene.query(end, [id])).rejects.toThrow('may still be mined');
      const change = `update stake_order set amount = amount + 1 where id = $1`;
      await expect(scene.query(change, [id])).rejects.toThrow('keeps its terms');
      const another = `insert into stake_order (id, chain_ref, move, amount) values ('stk_2', $1, 'unstake', 5)`;
      await expect(scene.query(another, [scene.chainRef])).rejects.toThrow('stake_order_open');
      await scene.pastExpiry();
      // The second node has no blocks to prove it by.
      liar.lie = (path, answer) => (path.includes('getblock') ? {} : answer);
      await scene.worker.confirm();
      expect(await order(id)).toMatchObject({ succeeded: null, statuses: ['signed'] });
      expect((await stake('100')).out).toContain(`Already ordered: ${id}`);
      liar.lie = (_path, answer) => answer;
      await scene.confirm();
      expect(await order(id)).toMatchObject({ succeeded: false, statuses: ['expired'] });
      await scene.expectBooksInOrder();
      const next = idIn((await stake('100')).out);
      expect(next).not.toBe(id);
      await scene.sign();
      await scene.send();
      liar.lie = knowingNone;
      await scene.confirm();
      expect(await order(next)).toMatchObject({ succeeded: true, statuses: ['succeeded'] });
      liar.lie = (_path, answer) => answer;
      await scene.expectBooksInOrder();
      expect((await staked())[0]).toBe((before ?? 0n) + 100n);
    } finally {
      await scene.restartWorker();
      await liar.stop();
    }
  });

  it('is cancelled by the history of the hot wallet, where no node has the block that its bytes name', async () => {
    const { url } = scene.base.rig;
    const nodes = [await TronLiar.start(url), await TronLiar.start(url)];
    try {
      await scene.restartWorker(nodes.map((node) => node.url));
      const before = await staked();
      const id = idIn((await stake('100')).out);
      await scene.sign();
      const [signed] = await scene.query<{ named: string; tx_hash: string }>(
        `select valid_after_height as named, tx_hash from chain_transaction
           join transaction_attempt on transaction_id = chain_transaction.id where purpose_id = $1`,
        [id],
      );
      await scene.pastExpiry();
      for (const node of nodes) node.lie = withoutBlock(Number(signed?.named));
      await scene.worker.confirm();
      expect(await order(id)).toMatchObject({ succeeded: null, statuses: ['signed'] });
      expect((await stake('99')).err).toContain(`${id} is open, which is another order`);
      const out = `CANCELLED: ${id}. What was signed for it has expired without a block.\n`;
      expect(await cancel(id)).toMatchObject({ code: 0, out });
      expect(await order(id)).toMatchObject({ succeeded: false, statuses: ['expired'] });
      expect((await cancel(id)).err).toContain(`${id} has ended.`);
      const [, cancelled] = await auditEntriesOf(scene.base.db.database, id);
      expect(cancelled).toMatchObject({
        action: 'treasury.cancel_stake',
        reason: 'another amount',
        details: { hash: signed?.tx_hash, nodes: '1' },
      });
      expect(await scene.query(`select from hot_wallet where frozen_reason is not null`)).toEqual([]);
      await scene.restartWorker();
      await scene.expectBooksInOrder();
      expect(idIn((await stake('99')).out)).not.toBe(id);
      await scene.step();
      expect((await staked())[0]).toBe((before[0] ?? 0n) + 99n);
      await scene.expectBooksInOrder();
    } finally {
      await scene.restartWorker();
      for (const node of nodes) await node.stop();
    }
  });

  it('was not signed for an hour', async () => {
    const id = idIn((await stake('100')).out);
    const untrue = `update stake_order set finished_at = now(), succeeded = true, final_height = 1 where id = $1`;
    await expect(scene.query(untrue, [id])).rejects.toThrow('did not end like this');
    const handler = new StakeOutcomeHandler(scene.base.db.database);
    await handler.giveUp();
    expect(await order(id)).toMatchObject({ succeeded: null });
    await scene.asOwner(`update stake_order set created_at = created_at - interval '61 minutes' where id = '${id}'`);
    await handler.giveUp();
    expect(await order(id)).toMatchObject({ succeeded: false, statuses: [] });
  });
});

describe('the audit of stakes', () => {
  it.each<[what: string, change: string, back: string, broken: readonly string[]]>([
    [
      'staked another amount than its transaction did',
      `update stake_order set amount = amount + 1 where id = $id`,
      `update stake_order set amount = amount - 1 where id = $id`,
      ['payments_are_ordered', 'stakes_end_with_their_transactions'],
    ],
    [
      'is open although its transaction is final',
      `update stake_order set finished_at = null, succeeded = null, final_height = null where id = $id`,
      `update stake_order set finished_at = now(), succeeded = true, final_height = 1 where id = $id`,
      ['stakes_end_with_their_transactions'],
    ],
  ])('notices an order that %s', async (_what, change, back, broken) => {
    const [first] = await scene.query<{ id: string }>(
      `select id from stake_order where move = 'stake' and succeeded order by created_at limit 1`,
    );
    const of = (statement: string): string => statement.replace('$id', `'${first?.id}'`);
    await scene.asOwner(of(change));
    expect((await scene.brokenRules()).map((rule) => rule.split(':')[0])).toEqual(broken);
    await scene.asOwner(of(back));
    expect(await scene.brokenRules()).toEqual([]);
  });
});
