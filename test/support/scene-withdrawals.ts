import type { NetworkProfile } from '../../src/chains/networks.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { ExpiringTreasury } from './expiring-treasury.js';
import type { LogLines } from './log-lines.js';
import { RecordingQueue } from './recording-queue.js';
import { query } from './sql.js';
import { vaultServices } from './vault-services.js';
import { withdrawalOrdersOn } from './withdrawal-orders.js';
import { writePlanned } from './write-planned.js';

/** Where withdrawals are ordered and paid: a scene that sweeps. */
export interface WithdrawalsPlace {
  readonly db: TestDatabase;
  readonly profile: NetworkProfile;
  readonly rpcUrl: string;
  readonly log: LogLines;
  readonly tenant: Tenant;
  readonly vault: LocalVault;
}

/** A withdrawal as its row says. */
interface Shown {
  readonly status: string;
  readonly waiting_reason: string | null;
  readonly signed: boolean;
}

/** The withdrawals of a scene that sweeps, on a network whose transactions expire. */
export class SceneWithdrawals {
  readonly treasury: ExpiringTreasury;

  constructor(private readonly place: WithdrawalsPlace) {
    const { db, profile, rpcUrl, log } = place;
    this.treasury = new ExpiringTreasury({
      database: db.database,
      owner: db.owner,
      profile,
      rpcUrls: [rpcUrl],
      log,
    });
  }

  close(): Promise<void> {
    return this.treasury.close();
  }

  /** Orders so many minor units of the pocket of a token. Returns the withdrawal's id. */
  async order(token: string, cents: number, destination: string): Promise<string> {
    const { db, tenant } = this.place;
    await this.treasury.readConditions();
    const orders = withdrawalOrdersOn(db.database, this.treasury.chains);
    const [pocket] = await query<{ id: string }>(db.database, `select id from pocket where token = $1`, [token]);
    const body = {
      pocket_id: pocket?.id ?? '',
      amount_cents: cents,
      destination,
      fee_strategy: 'standard',
      dry_run: false,
    } as const;
    return (await writePlanned(db.database, await orders.plan(tenant, body))).id;
  }

  /** Signs what can be paid. */
  async sign(): Promise<void> {
    await this.treasury.readBalances();
    await this.treasury.simulate();
    await vaultServices(this.place.db.database, new RecordingQueue().queue).signer.signWaiting(this.place.vault);
  }

  /**
   * Signs, sends and confirms a withdrawal whose funds are there.
   * @param settle makes everything final, and waits until the listener has read it
   */
  async pay(id: string, settle: () => Promise<void>): Promise<void> {
    // A payment that could not be simulated is paused for a moment.
    await eventually(
      async () => {
        await this.sign();
        return this.shown(id);
      },
      (withdrawal) => withdrawal?.signed === true,
    );
    await this.treasury.send();
    await settle();
    await this.treasury.confirm();
  }

  async shown(id: string): Promise<Shown | undefined> {
    const [row] = await query<Shown>(
      this.place.db.database,
      `select status, waiting_reason, signed_at is not null as signed from withdrawal where id = $1`,
      [id],
    );
    return row;
  }
}
