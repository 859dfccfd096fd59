import type { Adopted } from '../../src/recovery/adoption.service.js';
import { ExpiringAdoption } from '../../src/recovery/expiring/expiring-adoption.service.js';
import { UnrecordedSent } from '../../src/recovery/expiring/unrecorded-sent.service.js';
import { backupOf, restore } from './restored-database.js';
import type { TronSweepScene } from './tron-sweep-scene.js';

const STAFF = { actor: 'alice@vault-1', reason: 'restored to 03:00' };

/** Restores the database of a scene to an older state, and does what an operator does afterwards. */
export class TronRestore {
  constructor(private readonly scene: TronSweepScene) {}

  /** Does something, and restores the database to the moment before. The wallet is frozen then. Returns what is missing. */
  async lostAfter(work: () => Promise<unknown>): Promise<readonly string[]> {
    const { scene } = this;
    const { owner, database } = scene.base.db;
    const backup = await backupOf(owner);
    await work();
    await scene.base.stopListening();
    await restore(owner, backup);
    scene.base.listen();
    await scene.base.untilRead();
    await scene.worker.checkSent();
    expect(await scene.query(`select from hot_wallet where frozen_reason like '%not recorded here%'`)).toHaveLength(1);
    return new UnrecordedSent(database).idsOn(await scene.worker.chain());
  }

  /** What `treasury unrecorded` says of each transaction. */
  async listed(): Promise<readonly string[]> {
    const list = await new UnrecordedSent(this.scene.base.db.database).of(await this.scene.worker.chain());
    return (list?.transactions ?? []).map(({ action, changes }) => `${action} ${changes}`);
  }

  async adopt(txHashes: readonly string[], { asLoss = false, supersede = false } = {}): Promise<readonly Adopted[]> {
    const order = { ...STAFF, txHashes, orderId: null, asLoss, supersede };
    return new ExpiringAdoption(this.scene.base.db.database).adopt(await this.scene.worker.chain(), order);
  }

  /** Records how adopted transactions ended, and unfreezes the wallet. */
  async goOn(): Promise<void> {
    const { scene } = this;
    await scene.confirm();
    await scene.query(`update hot_wallet set frozen_reason = null`);
    await scene.worker.checkSent();
    expect(await scene.query(`select from hot_wallet where frozen_reason is not null`)).toEqual([]);
  }
}
