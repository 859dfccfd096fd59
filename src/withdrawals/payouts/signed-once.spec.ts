import { LogLines } from '../../../test/support/log-lines.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { query } from '../../../test/support/sql.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { payoutOf } from '../../../test/withdrawals/payouts.js';
import { createLogger } from '../../platform/logging.js';

let scene: PayoutScene;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

async function nextNonce(): Promise<number> {
  const [row] = await scene.query<{ next_nonce: string }>(`select next_nonce from hot_wallet where chain_ref = $1`, [
    scene.chain.chainRef,
  ]);
  return Number(row?.next_nonce);
}

describe('a signed withdrawal', () => {
  it('is not signed again, however often the signer runs [I-111]', async () => {
    const { id } = await scene.order(await scene.merchant());
    expect(await scene.signer.sign(scene.vault, id)).toBeNull();
    const [signed, nonce] = [await payoutOf(scene.database, id), await nextNonce()];
    expect(await scene.signer.sign(scene.vault, id)).toBeNull();
    await scene.signer.signWaiting(scene.vault);
    expect([await payoutOf(scene.database, id), await nextNonce()]).toEqual([signed, nonce]);
  });

  it('is not signed again by a run that had read its id before it was signed [I-111]', async () => {
    const { id } = await scene.order(await scene.merchant());
    const log = new LogLines();
    const { payments, withdrawals } = vaultServices(
      scene.database,
      new RecordingQueue().queue,
      createLogger('info', { destination: log }),
    );
    const lock: typeof withdrawals.lock = async (tx, ids) => {
      await scene.signer.sign(scene.vault, id);
      return withdrawals.lock(tx, ids);
    };
    const late: typeof withdrawals = Object.assign(Object.create(withdrawals), { lock });
    await payments.signWaiting(scene.vault, late);
    expect((await payoutOf(scene.database, id))?.attempts).toHaveLength(1);
    expect(log.lines).toEqual([]);
  });

  it('cannot get a second transaction even if its row has lost the first: the database refuses it, and no nonce is used', async () => {
    const { id } = await scene.order(await scene.merchant());
    await scene.signer.sign(scene.vault, id);
    const [signed, nonce] = [await payoutOf(scene.database, id), await nextNonce()];
    await scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, `update withdrawal set signed_at = null where id = $1`, [id]);
    });
    await expect(scene.signer.sign(scene.vault, id)).rejects.toThrow('chain_transaction_of_order');
    expect([await payoutOf(scene.database, id), await nextNonce()]).toEqual([signed, nonce]);
  });
});
