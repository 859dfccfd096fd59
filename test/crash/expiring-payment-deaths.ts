import { killedProcess } from '../support/doomed-process.js';
import { eventually } from '../support/eventually.js';
import { SolanaPayoutScene, type SolanaToken } from '../support/solana-payout-scene.js';
import { TronPayoutScene, type TronToken } from '../support/tron-payout-scene.js';

const RECOVERED_WITHIN_MS = 60_000;
/** What an order of a scene pays, in smallest units. */
const UNITS = { USDC: 1_000_000n, SOL: 10_000_000n, TRX: 2_000_000n };

type Place = readonly ['Solana', SolanaToken & keyof typeof UNITS] | readonly ['Tron', TronToken & keyof typeof UNITS];

let scene: SolanaPayoutScene | TronPayoutScene;
/** Orders a dollar, or some coins, of another merchant. */
let order: () => ReturnType<SolanaPayoutScene['order']>;
let balanceOf: (owner: string) => Promise<bigint>;

async function open([network, token]: Place): Promise<void> {
  if (network === 'Tron') {
    const tron = await TronPayoutScene.funded();
    scene = tron;
    order = async () => tron.order(await tron.merchant(token));
    balanceOf = (owner) => tron.balanceOf(owner, token);
  } else {
    const solana = await SolanaPayoutScene.funded();
    scene = solana;
    order = async () => solana.order(await solana.merchant(token));
    balanceOf = (owner) => solana.balanceOf(owner, token);
  }
}

/** Pays in another process until the failpoint kills it, while blocks become final. Returns how it ended. */
const killedAt = (failpoint: string): Promise<NodeJS.Signals> =>
  killedProcess({ file: 'expiring-payment-process.ts', env: scene.place, failpoint }, () => scene.makeFinal());

/**
 * Starts worker and vault again, and pays what is left to be paid. Bytes that a killed process never sent may have expired
 * meanwhile: then the payment is signed again.
 */
async function recover(id: string): Promise<void> {
  scene.workThrough();
  await scene.restartVault();
  await scene.trust();
  await eventually(async () => {
    await scene.sign();
    await scene.finish();
    return (await scene.shown(id))?.status === 'completed';
  }, RECOVERED_WITHIN_MS);
}

async function expectPaidOnce(
  id: string,
  destination: string,
  units: bigint,
  before: readonly string[],
): Promise<void> {
  const shown = await scene.shown(id);
  expect(shown).toMatchObject({ status: 'completed' });
  const known = new Set(before);
  expect((await scene.sent()).filter((txHash) => !known.has(txHash))).toEqual([shown?.tx_hash]);
  expect(await balanceOf(destination)).toBe(units);
  const events = await scene.query(`select type from event where resource_id = $1`, [id]);
  expect(events).toEqual([{ type: 'withdrawal.completed' }]);
  expect(await scene.frozenReason()).toBeNull();
  expect(await scene.breaches()).toEqual([]);
}

/**
 * Kills a process while it pays on a network whose transactions expire, at each of these points, and checks that the
 * withdrawal is paid once.
 */
export function describeExpiringPaymentDeaths(place: Place, points: readonly string[]): void {
  const [network, token] = place;
  const units = UNITS[token];
  describe(`a process that is killed while it pays ${token} on ${network}`, () => {
    beforeAll(() => open(place));
    afterAll(() => scene.close());

    it.each(points)('at %s: one transaction is final, and the withdrawal is paid once [I-108]', async (point) => {
      const before = await scene.sent();
      const { id, destination } = await order();
      expect(await killedAt(point)).toBe('SIGKILL');
      await recover(id);
      await expectPaidOnce(id, destination, units, before);
      expect((await scene.payouts(id)).filter(({ status }) => status !== 'expired')).toHaveLength(1);
    });

    it('while an expiry is recorded: it is recorded again, and the second transaction alone is final [I-108]', async () => {
      const before = await scene.sent();
      const { id, destination } = await order();
      await scene.sign();
      const [first] = await scene.payouts(id);
      await scene.pastExpiry();
      const proofs = await scene.query(`select from expiry_proof`);
      expect(await killedAt('wd.expired')).toBe('SIGKILL');
      expect(await scene.payouts(id)).toEqual([{ ...first, status: 'signed' }]);
      expect(await scene.query(`select from expiry_proof`)).toHaveLength(proofs.length);
      scene.workThrough();
      await scene.worker.confirm();
      await recover(id);
      await expectPaidOnce(id, destination, units, before);
      const statuses = (await scene.payouts(id)).map(({ status }) => status);
      expect(statuses[0]).toBe('expired');
      expect(statuses.filter((status) => status !== 'expired')).toEqual(['succeeded']);
    });
  });
}
