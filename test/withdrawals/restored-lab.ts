import { Database } from '../../src/platform/database/database.js';
import type { RunningService } from '../../src/app/start/service.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { untilRead } from '../chain/watching.js';
import { ApiClient } from '../support/api-client.js';
import { BNB_FINALITY } from '../support/bnb-testnet.js';
import { type CliRun, runCommand } from '../support/cli-run.js';
import { ownersDatabase } from '../support/database.js';
import { createDatabase, type OwnedDatabase } from '../support/database-url.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { query } from '../support/sql.js';
import { PayoutLab } from './payout-lab.js';
import { startRival } from './rival.js';
import { getWithdrawal, pocketOn, withdraw } from './withdrawals.js';

const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;
/** The reason of the freeze that keeps the wallet from signing before the backup is taken. */
const HELD_BACK = 'a backup is taken';

/**
 * The chain and the vault of a `PayoutLab`, with a database that is restored from an older backup. The service has three
 * lives: before the backup, after it (this one is lost), and on the restored database. `service` and `database` belong to
 * the current life.
 */
export class RestoredLab {
  private backup: OwnedDatabase | null = null;
  private backupOwner: Database | null = null;
  private running: RunningService | null = null;
  /** Of the current life, or of the next one. */
  private databaseUrl: string;

  private constructor(
    readonly lab: PayoutLab,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.databaseUrl = lab.world.databaseUrl;
  }

  /** Starts the life before the backup, in which nothing is signed. */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<RestoredLab> {
    const lab = await PayoutLab.open();
    await query(lab.world.database, `update hot_wallet set frozen_reason = $1`, [HELD_BACK]);
    return new RestoredLab(lab, env);
  }

  get service(): RunningService {
    return this.running ?? this.lab.world.service;
  }

  get database(): Database {
    return this.service.get(Database);
  }

  /** The backup, with the owner's role. */
  get owner(): Database {
    if (this.backupOwner === null) throw new Error('There is no backup yet.');
    return this.backupOwner;
  }

  /** Ends the life before the backup and begins the one that is lost. */
  async takeBackup(): Promise<void> {
    const { world } = this.lab;
    await world.service.stop();
    this.backup = await createDatabase(new URL(world.databaseUrl).pathname.slice(1));
    this.backupOwner = ownersDatabase(this.backup.ownerUrl);
    await this.live();
  }

  /** Ends the lost life. Commands use the backup from now on. */
  async forget(): Promise<void> {
    await this.running?.stop();
    this.running = null;
    this.databaseUrl = this.backup?.url ?? '';
  }

  /** Begins a life on the current database. */
  async live(): Promise<void> {
    this.running = await startRival(this.lab, {
      roles: 'api,listener,worker,vault',
      databaseUrl: this.databaseUrl,
      // The prices of the first service are stale by the time of the last order.
      env: { PRICE_SOURCES: 'fixed', SWEEP_FEE_SHARE_BPS: '0', ...this.env },
    });
  }

  /** Unfreezes the wallet, which could not sign before the backup. */
  async release(): Promise<void> {
    await query(this.database, `update hot_wallet set frozen_reason = null where frozen_reason = $1`, [HELD_BACK]);
  }

  async close(): Promise<void> {
    const { testnet } = this.lab;
    try {
      if (this.backup !== null) await auditBooksOf({ DATABASE_URL: this.backup.url, SANDBOX_BNB_RPC_URL: testnet.url });
    } finally {
      await this.running?.stop();
      await this.backupOwner?.close();
      await this.backup?.drop();
      await this.lab.close();
    }
  }

  /** Returns a client of the current life, with the key of an earlier one. */
  client({ apiKey }: { readonly apiKey: string } = this.lab.world): ApiClient {
    return new ApiClient(this.service.url, apiKey);
  }

  /** Mines once a second, so that everything becomes final, until the condition holds. */
  whileFinal<T>(condition: () => Promise<T | null | false>): Promise<NonNullable<T>> {
    return eventually(async () => {
      await this.lab.testnet.controls.mine(BNB_FINALITY + 1);
      await untilRead(this, this.lab.testnet);
      return eventually(async () => (await condition()) || null, MINE_EVERY_MS);
    }, WITHIN_MS);
  }

  /** Orders ten dollars. The first tries may be refused while the service reads new blocks. */
  order(api: ApiClient, destination: string): Promise<WithdrawalObject> {
    return eventually(async () => {
      const { id: pocketId } = await pocketOn(api, 'bnb');
      const { status, body } = await withdraw(api, pocketId, { destination });
      return status === 202 ? body : null;
    }, WITHIN_MS);
  }

  /** Waits until a withdrawal has completed, and mines meanwhile. */
  completed(api: ApiClient, id: string): Promise<WithdrawalObject> {
    return this.whileFinal(async () => {
      const withdrawal = await getWithdrawal(api, id);
      return withdrawal.status === 'completed' && withdrawal;
    });
  }

  /** Returns why the hot wallet is frozen; null when it is not. */
  async frozenReason(): Promise<string | null> {
    const [row] = await query<{ frozen_reason: string | null }>(
      this.database,
      `select frozen_reason from hot_wallet where address = $1`,
      [this.lab.hotWallet],
    );
    return row?.frozen_reason ?? null;
  }

  /** Runs a command on the database of the current life, or of the next one. */
  coffer(...args: readonly string[]): Promise<CliRun> {
    const { world, testnet } = this.lab;
    return runCommand(args, {
      DATABASE_URL: this.databaseUrl,
      DATA_DIR: world.dataDir,
      SANDBOX_BNB_RPC_URL: testnet.url,
    });
  }

  adopt(hash: string, ...flags: readonly string[]): Promise<CliRun> {
    return this.coffer('treasury', 'adopt', hash, '--network', 'bnb', '--reason', 'restored', ...flags);
  }

  unfreeze(): Promise<CliRun> {
    return this.coffer('withdrawals', 'unfreeze', '--network', 'bnb', '--env', 'sandbox', '--reason', 'all is known');
  }
}
