import { expectBooksInOrder } from '../support/books.js';
import { type CliRun, runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { COIN, PayoutLab } from './payout-lab.js';

const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;

/** The size of an unattributed deposit of USDC. */
export const UNITS = 2_000n * COIN;

/** A lab whose staff refund deposits by the command line. */
export class RefundLab {
  private constructor(readonly payouts: PayoutLab) {}

  /** @param env additional environment variables of the service */
  static async open(env: Readonly<Record<string, string>> = {}): Promise<RefundLab> {
    const payouts = await PayoutLab.open(env);
    // Until its transactions are counted, no refund is accepted.
    const counted = `select from hot_wallet where address = $1 and chain_nonce is not null`;
    await eventually(
      () => query(payouts.world.database, counted, [payouts.hotWallet]),
      (rows) => rows.length === 1,
    );
    return new RefundLab(payouts);
  }

  coffer(...args: readonly string[]): Promise<CliRun> {
    return runCommand([...args], { DATABASE_URL: this.payouts.world.databaseUrl });
  }

  /** Mines once a second, so that everything becomes final, until the condition holds. */
  whileFinal<T>(condition: () => Promise<T | null>): Promise<NonNullable<T>> {
    return eventually(async () => {
      await this.payouts.makeFinal();
      return eventually(condition, MINE_EVERY_MS);
    }, WITHIN_MS);
  }

  /** Sends USDC to an address before its assignment, and returns the deposit in suspense. */
  async anUnattributedDeposit(): Promise<string> {
    const [free] = await query<{ address: string }>(
      this.payouts.world.database,
      `select address from pool_address where intent_id is null order by id desc limit 1`,
    );
    const to = free?.address ?? '';
    await this.payouts.testnet.controls.pay({ to, token: 'USDC', amount: UNITS });
    return this.inSuspense(to);
  }

  /** Waits until a deposit to the address is in suspense, and returns its id. */
  inSuspense(to: string): Promise<string> {
    return this.whileFinal(async () => {
      const [deposit] = await query<{ id: string }>(
        this.payouts.world.database,
        `select id from deposit where to_address = lower($1) and held_as = 'suspense'`,
        [to],
      );
      return deposit?.id ?? null;
    });
  }

  /** Orders the refund of a deposit as staff, and returns the refund's id. */
  async ordered(depositId: string, to: string): Promise<string> {
    const run = await this.coffer('deposits', 'resolve', depositId, '--to-address', to, '--reason', 'returned');
    expect(run).toMatchObject({ code: 0, err: '' });
    return /ret_\w+/.exec(run.out)?.[0] ?? '';
  }

  /** Waits until a refund has failed. */
  async untilFailed(id: string): Promise<void> {
    await this.whileFinal(async () => {
      const failed = `select from deposit_return where id = $1 and status = 'failed'`;
      return (await query(this.payouts.world.database, failed, [id])).length === 1 || null;
    });
  }

  /** Waits until a refund is paid, and returns the hash of its transaction. */
  paid(id: string): Promise<string> {
    return this.whileFinal(async () => {
      const [row] = await query<{ tx_hash: string }>(
        this.payouts.world.database,
        `select tx_hash from deposit_return where id = $1 and status = 'completed'`,
        [id],
      );
      return row?.tx_hash ?? null;
    });
  }

  /** The gas of a refund's transaction in wei, by its row and by the books. */
  async gasOf(id: string): Promise<{ readonly paid: bigint; readonly booked: bigint }> {
    const [gas] = await query<{ paid: string; booked: string }>(
      this.payouts.world.database,
      `select fee_paid as paid, (select -sum(posting.amount) from entry join posting on posting.entry_id = entry.id
                                   join account on account.id = account_id and account.kind = 'network_fees'
                                  where reference = 'gas:' || sent.id) as booked
         from chain_transaction sent where purpose = 'deposit_return' and purpose_id = $1`,
      [id],
    );
    return { paid: BigInt(gas?.paid ?? 0), booked: BigInt(gas?.booked ?? 0) };
  }

  /** Asserts every rule about the books and about the chain. */
  async expectVerified(): Promise<void> {
    const { world, testnet } = this.payouts;
    await expectBooksInOrder(world.database);
    const { out } = await runCommand(['verify'], {
      DATABASE_URL: world.databaseUrl,
      DATA_DIR: world.dataDir,
      SANDBOX_BNB_RPC_URL: testnet.url,
    });
    expect(out).not.toMatch(/BROKEN/);
    expect(out).toMatch(/\nThe books hold\./);
  }

  close(): Promise<void> {
    return this.payouts.close();
  }
}
