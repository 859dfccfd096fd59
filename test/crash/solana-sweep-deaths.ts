import { eventually } from '../support/eventually.js';
import { killedAt } from '../support/killed-sweeps.js';
import { SolanaSweepScene } from '../support/solana-sweep-scene.js';

/** Smallest units that are paid and swept. */
const UNITS = { USDC: 25_000_000n, SOL: 25_000_000_000n };

/** The final transactions of the hot wallet. */
const sentBy = async ({ client, hotWallet }: SolanaSweepScene): Promise<string[]> =>
  (await client.sentBy(hotWallet, 0)).sent.map(({ txHash }) => txHash);

/** Kills a process while it sweeps what an address on Solana holds, at each of these points, and checks that it is swept once. */
export function describeSolanaSweepDeaths(symbol: keyof typeof UNITS, points: readonly string[]): void {
  const units = UNITS[symbol];
  describe(`a process that is killed while it sweeps ${symbol} on Solana`, () => {
    let scene: SolanaSweepScene;
    beforeAll(async () => {
      scene = await SolanaSweepScene.open();
    });
    afterAll(() => scene.close());

    it.each(points)('at %s: one transaction is final, and it sweeps the address', async (point) => {
      const before = new Set(await sentBy(scene));
      const { address } = await scene.paid(symbol, units);
      expect(await killedAt(scene, point)).toBe('SIGKILL');
      const last = await eventually(
        async () => (await scene.sweep()).at(-1),
        (sweep) => sweep?.status === 'succeeded',
      );
      expect(last?.swept).toEqual([String(units)]);
      expect(await scene.holds(address)).toEqual([0n, 0n, 0n]);
      const [minedBy] = await scene.query<{ tx_hash: string }>(
        `select tx_hash from chain_transaction join transaction_attempt on transaction_id = id where purpose_id = $1`,
        [last?.id ?? ''],
      );
      expect((await sentBy(scene)).filter((txHash) => !before.has(txHash))).toEqual([minedBy?.tx_hash]);
      // Nothing but the first funds of the hot wallet was a top-up.
      expect(await scene.compare()).toEqual(['10000000000']);
      expect(await scene.brokenRules()).toEqual([]);
    });
  });
}
