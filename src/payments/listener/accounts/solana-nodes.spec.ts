import { SolanaScene } from '../../../../test/support/solana-scene.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FaultProxy } from '../../../devtools/chaos/fault-proxy.js';
import { SOLANA_FAULTS } from '../../../devtools/chaos/solana-faults.js';

const DOLLARS = 1_000_000n;
/** Faults through which a node is still read correctly, if late. */
const HARMLESS = ['lag', 'late-signature', 'missing-blocks', 'forked-slot', 'flapping', 'slow'];
/** Faults of the connection are those of every chain. */
const OF_THE_CHAIN = ['no-history', 'no-transactions', 'unsupported-version', 'wrong-genesis', 'null'];
/** The listener signs nothing, and does not ask when a transaction expires. */
const FAULTS = SOLANA_FAULTS.filter(({ name }) => name !== 'understated-expiry').map(
  (fault) => [fault.name, fault] as const,
);

let scene: SolanaScene;
let proxy: FaultProxy;
beforeAll(async () => {
  scene = await SolanaScene.open();
  proxy = await FaultProxy.start({ target: { url: scene.lab.chain.url }, seed: 1 });
});
afterAll(async () => {
  await scene.close();
  await proxy.stop();
});
afterEach(() => scene.stopListening());

/** Makes blocks until a condition holds: the next ones make payments final. */
async function until(look: () => Promise<boolean>): Promise<void> {
  await eventually(
    async () => {
      scene.nudge();
      await scene.lab.controls.mine();
      return look();
    },
    (isThere) => isThere,
    60_000,
  );
}

async function depositsOf(id: string): Promise<readonly string[]> {
  const deposits = await scene.deposits();
  return deposits.filter(({ intent_id }) => intent_id === id).map(({ status, amount }) => `${status} ${amount}`);
}

describe('a node of Solana with the fault', () => {
  it.each(FAULTS)('%s credits nothing wrong, and everything once it is healed', async (name, fault) => {
    const before = proxy.hits.get(name) ?? 0;
    const intent = await scene.intent();
    proxy.arm([fault]);
    scene.listen([proxy.url]);
    await scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * DOLLARS });
    await until(async () => (proxy.hits.get(name) ?? 0) > before);
    if (!HARMLESS.includes(name)) expect(await depositsOf(intent.id)).toEqual([]);
    proxy.heal();
    await until(async () => (await depositsOf(intent.id)).includes('confirmed 25000000'));
    expect(await depositsOf(intent.id)).toEqual(['confirmed 25000000']);
  });

  it.each(FAULTS.filter(([name]) => OF_THE_CHAIN.includes(name)))(
    '%s is replaced by another node, or its answer by that of another [F-73]',
    async (_name, fault) => {
      const intent = await scene.intent();
      proxy.arm([fault]);
      scene.listen([proxy.url, scene.lab.chain.url]);
      await scene.fund({ owner: intent.address, token: 'USDC', amount: 25n * DOLLARS });
      await until(async () => (await depositsOf(intent.id)).length > 0);
      proxy.heal();
      await until(async () => (await depositsOf(intent.id)).includes('confirmed 25000000'));
      expect(await depositsOf(intent.id)).toEqual(['confirmed 25000000']);
    },
  );
});
