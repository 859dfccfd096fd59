import { eventuallyPasses } from '../../../test/support/eventually.js';
import { oddContract } from '../../../test/support/odd-tokens.js';
import { PAYEE_CODE } from '../../../test/support/payees.js';
import { RefundScene } from '../../../test/support/refund-scene.js';
import { breaking, lie, SimulatorLab } from '../../../test/support/simulator-lab.js';
import { query } from '../../../test/support/sql.js';
import { StoppedClock } from '../../../test/support/stopped-clock.js';
import type { FaultProxy } from '../../devtools/chaos/fault-proxy.js';

const COIN = 10n ** 18n;

let world: SimulatorLab;
let clock: StoppedClock | null = null;

beforeAll(async () => {
  world = await SimulatorLab.open();
});
afterAll(() => world.close());
beforeEach(() => world.begin(world.nodes[0]));
afterEach(() => {
  clock?.release();
  return world.end();
});

const callsOf = ({ asked }: FaultProxy): number => asked.get('eth_call') ?? 0;

it('a payment is executed on the newest block and recorded with it, and the vault is woken to sign it [I-116]', async () => {
  const ordered = await world.order();
  await world.simulateDue();
  const head = await world.lab.node.head();
  const simulation = await world.newest(ordered.id);
  expect(simulation).toMatchObject({
    outcome: 'accepts',
    nodes: 1,
    blockHeight: String(head.height),
    blockHash: head.hash,
  });
  expect(await world.queue.woken('withdrawals.sign')).toEqual([{}]);
  expect(await world.sign(ordered)).toBeNull();
  expect(await world.scene.waitsFor(ordered.id)).toBeNull();
});

it('one that the token refuses, or that needs more gas, fails, and the vault signs nothing for it [I-116]', async () => {
  const refused = await world.order({ destination: await world.aListedDestination() });
  const thirsty = await world.order({ token: 'USDT' });
  await world.simulateDue();
  expect([await world.sign(refused), await world.sign(thirsty)]).toEqual([null, null]);
  expect(await world.failureOf(refused)).toBe('destination_rejects');
  expect(await world.failureOf(thirsty)).toBe('destination_needs_gas');
});

it('is not simulated while our funds do not suffice: it waits for a sweep, and the vault says so [I-117]', async () => {
  const ordered = await world.order({ destination: await world.aListedDestination() });
  const before = callsOf(world.nodes[0]);
  await world.scene.hold(0n, COIN);
  await world.simulateDue();
  expect([await world.newest(ordered.id), callsOf(world.nodes[0])]).toEqual([null, before]);
  expect(await world.queue.woken('withdrawals.sign')).toEqual([{}]);
  expect(await world.sign(ordered)).toBe('coins_missing');
  // Not asked again before the vault has found that there is enough.
  await world.scene.hold(10n ** 12n, 1_000n * COIN);
  await world.simulateDue();
  expect(await world.newest(ordered.id)).toBeNull();
  expect(await world.sign(ordered)).toBe('not_simulated');
  await world.simulateDue();
  expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'rejects' });
});

it('waits without a refusal while the chain shows a lower balance of the hot wallet than the books [I-117]', async () => {
  const ordered = await world.order({ destination: await world.aListedDestination() });
  const holder = await world.hotWallet();
  const balanceOf = oddContract('BlackListToken').codec.encodeFunctionData('balanceOf', [holder]);
  lie(world.nodes[0], ({ params }, truth) =>
    JSON.stringify(params).includes(balanceOf) ? { result: `0x${'0'.repeat(64)}` } : truth,
  );
  clock = new StoppedClock();
  await world.simulateDue();
  const asked = callsOf(world.nodes[0]);
  expect(asked).toBeGreaterThan(0);
  // The nodes are not asked again every second.
  await world.simulateDue();
  expect([await world.newest(ordered.id), callsOf(world.nodes[0])]).toEqual([null, asked]);
  world.nodes[0].arm([]);
  clock.advance(1_001);
  await world.simulateDue();
  expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'rejects' });
});

it('waits while no node answers, and is simulated once one does [I-116]', async () => {
  const ordered = await world.order();
  lie(world.nodes[0], breaking);
  await world.simulateDue();
  expect(await world.newest(ordered.id)).toBeNull();
  expect(await world.sign(ordered)).toBe('not_simulated');
  world.nodes[0].arm([]);
  await eventuallyPasses(async () => {
    await world.simulateDue();
    expect(await world.newest(ordered.id)).toMatchObject({ outcome: 'accepts' });
  });
});

it('records which destinations of coin payments have code [I-116]', async () => {
  const [contract, plain] = [world.newDestination(), world.newDestination()];
  await world.lab.node.send('anvil_setCode', contract, PAYEE_CODE.takes);
  const orders = [
    await world.order({ destination: contract, token: 'POL' }),
    await world.order({ destination: plain, token: 'POL' }),
  ];
  await world.simulateDue();
  const rows = await query<{ has_code: boolean }>(
    world.scene.database,
    `select destination_has_code as has_code from payment_simulation where purpose_id = any($1) order by amount, id`,
    [orders.map(({ id }) => id)],
  );
  expect(rows).toEqual([{ has_code: true }, { has_code: false }]);
});

it('is not simulated while no vault is open, while the wallet is frozen, or while a rule holds it', async () => {
  const ordered = await world.order();
  world.vaultState.isOpen = false;
  await world.simulateDue();
  world.vaultState.isOpen = true;
  await query(world.scene.database, `update hot_wallet set frozen_reason = 'asked for'`);
  await world.simulateDue();
  await query(world.scene.database, `update hot_wallet set frozen_reason = null`);
  await query(world.scene.database, `update withdrawal set waiting_reason = 'approval_missing' where id = $1`, [
    ordered.id,
  ]);
  await world.simulateDue();
  expect(await world.newest(ordered.id)).toBeNull();
});

it('a return that the token refuses is in suspense again, and one that it accepts is signed [I-116]', async () => {
  const refunds = await RefundScene.open(world.scene);
  const [refused, accepted] = [await refunds.anOrder(await world.aListedDestination()), await refunds.anOrder()];
  await world.scene.db.owner.transaction(async (tx) => {
    await tx.execute(`set local session_replication_role = replica`);
    await tx.execute(`delete from payment_simulation where purpose = 'deposit_return'`);
  });
  await world.simulateDue();
  expect(await world.simulated(refused.id, 'deposit_return')).toMatchObject({ outcome: 'rejects' });
  await refunds.signer.signWaiting(world.scene.vault);
  expect(await refunds.facts(refused.id)).toMatchObject({
    status: 'failed',
    failureCode: 'destination_rejects',
    isSigned: false,
    heldAs: 'suspense',
  });
  expect(await refunds.facts(accepted.id)).toMatchObject({ status: 'broadcasting', isSigned: true });
});
