import { eventually } from '../support/eventually.js';
import { killedAt } from '../support/killed-sweeps.js';
import { type ShownSweep, TronSweepScene } from '../support/tron-sweep-scene.js';
import { hexOfKey } from '../../src/chains/tron/tron-address.js';
import { addressKey } from '../../src/devtools/devnet/tron/address.js';
import { contractOf } from '../../src/devtools/devnet/tron/chain/tron-transaction.js';
import { StakeOperations } from '../../src/treasury/stakes/stake-operations.service.js';
import { StakeOrder } from '../../src/treasury/stakes/stake-order.entity.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
/** Energy that was used comes back within a day: enough for every case. */
const STAKE = 80_000n * TRX;

let scene: TronSweepScene;

/** How often the hot wallet has lent energy to an address, and taken it back, by the blocks of the chain. */
function delegationsTo(address: string): readonly number[] {
  const { blocks } = scene.base.rig.node.chain;
  const heights = Array.from({ length: blocks.head + 1 }, (_, height) => height);
  const contracts = heights
    .flatMap((height) => blocks.byNumber(height)?.transactions ?? [])
    .map(({ transaction }) => contractOf(transaction))
    .filter(
      ({ body, type }) => type.includes('Delegate') && addressKey(body.bytes('receiver_address')) === hexOfKey(address),
    );
  return ['DelegateResourceContract', 'UnDelegateResourceContract'].map(
    (type) => contracts.filter((contract) => contract.type === type).length,
  );
}

/** Whether what a sweep has lent is back. */
const isReturned = ({ lent, returned }: ShownSweep): boolean =>
  returned.includes('succeeded') || !lent.some((status) => status === 'signed' || status === 'succeeded');

/** Where the process is killed. */
export interface EnergyDeaths {
  /** While it lends energy for a sweep and takes it back. */
  readonly loan: readonly string[];
  /** While it stakes. */
  readonly stake: readonly string[];
}

/** Kills a process at each of these points, and checks that the energy comes back once and that it is staked once. */
export function describeEnergyDeaths(points: EnergyDeaths): void {
  beforeAll(async () => {
    scene = await TronSweepScene.open(STAKE);
  });
  afterAll(() => scene.close());

  describe('a process that is killed while it lends energy', () => {
    it.each(points.loan)('at %s: the energy is lent once and comes back once', async (point) => {
      const { address } = await scene.paid('USDT', 25n * DOLLAR);
      const earlier = (await scene.sweeps()).length;
      expect(await killedAt(scene, point)).toBe('SIGKILL');
      await scene.restartWorker();
      const sweeps = await eventually(
        async () => {
          await scene.plan();
          return (await scene.step()).slice(earlier);
        },
        (made) => made.some(({ status }) => status.includes('succeeded')) && made.every(isReturned),
      );
      const succeeded = (part: 'status' | 'lent' | 'returned') =>
        sweeps.flatMap((sweep) => sweep[part]).filter((status) => status === 'succeeded').length;
      const lent = succeeded('lent');
      expect([succeeded('status'), succeeded('returned')]).toEqual([1, lent]);
      expect(delegationsTo(address)).toEqual([lent, lent]);
      // Bytes that a killed process never sent may have expired: that ends their sweep, and the next one may burn coins instead.
      const [usdt, coins] = await scene.holds(address);
      if (sweeps.length === 1) expect([lent, sweeps[0]?.burned, coins]).toEqual([1, '0', 1n]);
      expect(sweeps.filter(({ swept }) => swept === String(25n * DOLLAR))).toHaveLength(1);
      expect(usdt).toBe(0n);
      expect((await scene.client.finalBalancesOf(scene.hotWallet, ['native'], 0)).lent).toBe(0n);
      await scene.expectBooksInOrder();
    });
  });

  describe('a process that is killed while it stakes', () => {
    const stakes = async () => {
      const { staked } = await scene.client.stakeOf(scene.hotWallet);
      const heights = Array.from({ length: scene.base.rig.node.chain.blocks.head + 1 }, (_, height) => height);
      const made = heights
        .flatMap((height) => scene.base.rig.node.chain.blocks.byNumber(height)?.transactions ?? [])
        .filter(({ transaction }) => contractOf(transaction).type === 'FreezeBalanceV2Contract');
      return { staked, made: made.length };
    };

    it.each(points.stake)('at %s: it is staked once', async (point) => {
      const operations = new StakeOperations(scene.base.db.database);
      const before = await stakes();
      const terms = { move: 'stake', amount: 10n * TRX } as const;
      const staff = { actor: 'alice@vault-1', reason: 'energy' };
      const { order } = await operations.order(await scene.worker.chain(), terms, staff);
      expect(await killedAt(scene, point)).toBe('SIGKILL');
      await scene.restartWorker();
      // The command again: its order is open, and there is no other.
      const again = await operations.order(await scene.worker.chain(), terms, staff);
      expect(again).toMatchObject({ isNew: false, order: { id: order.id } });
      await eventually(
        async () => {
          await scene.step();
          return scene.base.db.database.em().findOneOrFail(StakeOrder, { id: order.id });
        },
        ({ finishedAt }) => finishedAt !== null,
      );
      // Bytes that a killed process never sent may have expired: they staked nothing.
      const { succeeded } = await scene.base.db.database.em().findOneOrFail(StakeOrder, { id: order.id });
      const after = await stakes();
      const times = succeeded === true ? 1 : 0;
      expect(after).toEqual({ staked: before.staked + BigInt(times) * 10n * TRX, made: before.made + times });
      await scene.expectBooksInOrder();
    });
  });
}
