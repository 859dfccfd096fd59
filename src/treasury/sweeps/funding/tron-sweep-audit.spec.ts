import { TronSweepScene } from '../../../../test/support/tron-sweep-scene.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;

let scene: TronSweepScene;

describe('the audit of sweeps on Tron', () => {
  beforeAll(async () => {
    scene = await TronSweepScene.open();
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    await scene.sweep();
    // So that the books have a deposit of the coin there.
    await scene.pay(address, 'TRX', TRX);
    await scene.expectBooksInOrder();
  });
  afterAll(() => scene.close());

  it.each<[what: string, table: string, change: string, broken: readonly string[]]>([
    [
      'a fee that was burned is missing',
      'deposit_balance',
      `update deposit_balance set burned = burned - 1 where burned > 0`,
      ['deposit_balances_add_up', 'chain_owes_what_lies_there'],
    ],
    [
      'a funding brought more than it did',
      'funding',
      `update funding set amount = amount + 1, arrived = arrived + 1`,
      ['payments_are_ordered', 'deposit_balances_add_up', 'addresses_hold_deposits'],
    ],
    [
      'a sweep burned less than its transaction cost',
      'sweep_item',
      `update sweep_item set burned = burned - 1 where burned > 0`,
      ['deposit_balances_add_up', 'sweeps_burn_their_fees', 'addresses_hold_deposits'],
    ],
    [
      'a sweep took more than it did',
      'sweep_item',
      `update sweep_item set expected = expected + 1`,
      ['payments_are_ordered', 'payments_are_on_chain'],
    ],
    [
      'a funding is open although its transaction is final',
      'funding',
      `update funding set finished_at = null, arrived = null, arrived_height = null`,
      ['deposit_balances_add_up', 'fundings_end_with_their_transactions'],
    ],
  ])('notices that %s', async (_what, table, change, broken) => {
    await scene.asOwner(`create table kept as table ${table}`, change);
    expect((await scene.brokenRules()).map((rule) => rule.split(':')[0])).toEqual(broken);
    await scene.asOwner(`delete from ${table}`, `insert into ${table} select * from kept`, `drop table kept`);
    expect(await scene.brokenRules()).toEqual([]);
  });
});
