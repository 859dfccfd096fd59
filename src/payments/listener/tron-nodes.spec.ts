import { query } from '../../../test/support/sql.js';
import { forgedBlock } from '../../../test/support/tron-liar.js';
import { SOLIDITY_DISTANCE, TronScene } from '../../../test/support/tron-scene.js';
import type { Fault, Lie } from '../../devtools/chaos/fault.js';
import { TRON_FAULTS } from '../../devtools/chaos/tron-faults.js';

const DOLLARS = 1_000_000n;
const LAG_BLOCKS = 6;
/** Faults through which a node is still read correctly, if late. */
const HARMLESS = ['lag', 'solidity-lag', 'flapping-internals', 'flapping', 'slow'];
const FAULTS = TRON_FAULTS.map((fault) => [fault.name, fault] as const);

let scene: TronScene;
beforeAll(async () => {
  scene = await TronScene.open();
});
afterAll(() => scene.close());
afterEach(async () => {
  await scene.stopListening();
  // Otherwise the balances of too many addresses would be awaited for one step.
  const ended = `update payment_intent set status = 'cancelled', updated_at = now() - interval '2 hours'`;
  await query(scene.db.database, `${ended} where status = 'requires_action'`);
});

const lying = (falsify: Lie): Fault => ({
  name: 'lie',
  about: 'answers what a spec makes up',
  begin: () => ({ kind: 'answer', falsify }),
});

/** Pays one intent by a transaction and one through a contract. */
async function payBoth(): Promise<{ readonly byTransaction: string; readonly byContract: string }> {
  const [usdt, trx] = [await scene.intent('USDT'), await scene.intent('TRX')];
  await scene.rig.controls.fund(usdt.address, 'USDT', 25n * DOLLARS);
  await scene.payThroughContract(trx.address, 25n * DOLLARS);
  await scene.settle();
  return { byTransaction: usdt.id, byContract: trx.id };
}

/** The deposits of intents, by status and amount. */
async function depositsOf(...intentIds: readonly string[]): Promise<string[]> {
  const deposits = await scene.deposits();
  return intentIds.flatMap((id) =>
    deposits
      .filter((one) => one.intent_id === id)
      .map(({ status, amount }) => `${status} ${amount}`)
      .toSorted(),
  );
}

async function untilBothOnce(
  { byTransaction, byContract }: Awaited<ReturnType<typeof payBoth>>,
  meanwhile = (): Promise<void> => Promise.resolve(),
): Promise<void> {
  const once = ['confirmed 25000000'];
  await scene.until(async () => {
    await meanwhile();
    expect([await depositsOf(byTransaction), await depositsOf(byContract)]).toEqual([once, once]);
  });
}

describe('a node of Tron with the fault', () => {
  it.each(FAULTS)('%s credits nothing wrong, and everything once it is healed', async (name, fault) => {
    const proxy = await scene.proxy(fault);
    scene.listen({ rpcUrls: [proxy.url] });
    const paid = await payBoth();
    await scene.until(async () => expect(proxy.hits.get(name) ?? 0).toBeGreaterThan(0));
    if (!HARMLESS.includes(name)) expect(await depositsOf(paid.byTransaction, paid.byContract)).toEqual([]);
    proxy.heal();
    await untilBothOnce(paid);
  });

  it.each(FAULTS.filter(([name]) => !['slow', 'flapping', 'timeout'].includes(name)))(
    '%s is replaced by another node [F-73]',
    async (name, fault) => {
      const proxy = await scene.proxy(fault);
      scene.listen({ rpcUrls: [proxy.url, scene.rig.url] });
      const paid = await payBoth();
      await untilBothOnce(paid, async () => {
        // A node that is ahead of another one makes nothing final until that one has the block too.
        if (name.endsWith('lag')) await scene.rig.controls.mine(1);
      });
    },
  );
});

describe('two nodes of Tron', () => {
  it('that disagree on a final block make nothing final until they agree [F-75]', async () => {
    const intent = await scene.intent();
    const otherFork: Lie = ({ method }, truth) => {
      if (method !== 'wallet/getblock' || !('result' in truth)) return truth;
      if (!JSON.stringify(truth.result).includes('"number"')) return truth;
      return { result: forgedBlock(truth.result, () => ({ txTrieRoot: 'd'.repeat(64) })) };
    };
    const proxy = await scene.proxy();
    scene.listen({ rpcUrls: [scene.rig.url, proxy.url] });
    await scene.untilRead();
    const { finalizedHeight } = await scene.cursor();
    proxy.arm([lying(otherFork)]);
    await scene.rig.controls.fund(intent.address, 'USDT', 25n * DOLLARS);
    await scene.settle();
    await scene.until(async () => expect((await scene.cursor()).doubt).toContain('Final block'));
    await scene.until(async () => expect(await depositsOf(intent.id)).toEqual(['seen 25000000']));
    expect((await scene.cursor()).finalizedHeight).toBe(finalizedHeight);
    proxy.heal();
    await scene.until(async () => expect(await depositsOf(intent.id)).toEqual(['confirmed 25000000']));
    expect((await scene.cursor()).doubt).toBeNull();
  });
});

describe('a solidity interface that is behind', () => {
  it('lets payments be seen at once and become final late, and compares balances as of its block', async () => {
    const { rig } = scene;
    const [usdt, trx] = [await scene.intent('USDT'), await scene.intent('TRX')];
    await rig.controls.setSolidityDistance(SOLIDITY_DISTANCE + LAG_BLOCKS);
    scene.listen();
    await scene.rig.controls.fund(usdt.address, 'USDT', 25n * DOLLARS);
    await scene.rig.controls.fund(trx.address, null, 10n * DOLLARS);
    await scene.payThroughContract(trx.address, 15n * DOLLARS);
    const { head } = await scene.rig.controls.mine(SOLIDITY_DISTANCE + 1);
    await scene.until(async () => expect((await scene.cursor()).height).toBe(head));
    expect(await depositsOf(usdt.id, trx.id)).toEqual(['seen 25000000', 'seen 10000000']);
    await scene.rig.controls.mine(LAG_BLOCKS);
    await scene.until(async () => {
      const final = ['confirmed 25000000', 'confirmed 10000000', 'confirmed 15000000'];
      expect(await depositsOf(usdt.id, trx.id)).toEqual(final);
    });
    await rig.controls.setSolidityDistance(SOLIDITY_DISTANCE);
    expect(scene.log.named('An address holds less than the books say.')).toEqual([]);
  });
});
