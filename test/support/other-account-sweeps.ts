import { eventually } from './eventually.js';
import type { SeededIntent } from './factories.js';
import { paidBeside } from './solana-other-account.js';
import { SolanaSweepScene } from './solana-sweep-scene.js';

const FIRST_FUNDS = String(10_000_000_000n);

/** A scene whose addresses are paid in token accounts beside their associated ones. */
export class OtherAccountSweeps {
  private constructor(readonly scene: SolanaSweepScene) {}

  static async open(): Promise<OtherAccountSweeps> {
    return new OtherAccountSweeps(await SolanaSweepScene.open());
  }

  close(): Promise<void> {
    return this.scene.close();
  }

  /** Pays 25 USDC, or another amount, into another account of the address of a new intent. */
  async paidElsewhere(amount = 25_000_000n): Promise<{ readonly intent: SeededIntent; readonly account: string }> {
    const intent = await this.scene.intent('USDC');
    const { account, txHash } = await paidBeside(this.scene.scene, intent.address, { amount });
    await this.scene.search();
    await this.scene.untilCredited(txHash);
    return { intent, account };
  }

  /** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
  async expectBooksInOrder(): Promise<void> {
    expect(await this.scene.compare()).toEqual([FIRST_FUNDS]);
    expect(await this.scene.brokenRules()).toEqual([]);
    expect(await this.scene.query(`select account, units from unexplained_balance`)).toEqual([]);
  }

  /** Waits until the listener has read an account with this obstacle. */
  async untilObstacle(account: string, obstacle: string | null): Promise<void> {
    await eventually(
      () => {
        this.scene.scene.hurry();
        const read = `select obstacle from credited_account where account = '${account}'`;
        return this.scene.query<{ obstacle: string | null }>(read);
      },
      (rows) => rows.length === 1 && rows[0]?.obstacle === obstacle,
    );
  }

  /** Whether the chain has an account. */
  async exists(account: string): Promise<boolean> {
    const { value } = await this.scene.scene.lab.rpc.getAccountInfo(account as never, { encoding: 'base64' }).send();
    return value !== null;
  }

  /** What was swept, the oldest first; the account is null for an associated one. */
  items(): Promise<{ account: string | null; swept: string }[]> {
    return this.scene.query(
      `select account, swept from sweep_item join sweep on sweep.id = sweep_id
         left join swept_account using (sweep_id, position) order by sweep.created_at, position`,
    );
  }
}
