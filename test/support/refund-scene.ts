import { Wallet } from 'ethers';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { type Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import type { RefundOutcomeHandler } from '../../src/suspense/refunds/refund-outcome-handler.service.js';
import type { RefundWaitingReason } from '../../src/suspense/refunds/refund-standing.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import { type CliRun, runCommand } from './cli-run.js';
import { freeAddresses, type SeededChain } from './factories.js';
import { PayoutScene } from './payout-scene.js';
import { RecordingQueue } from './recording-queue.js';
import { simulated } from './simulated-payments.js';
import type { PaymentSpecSigner } from './spec-signer.js';
import { SandboxChain } from './sandbox-chain.js';
import { query } from './sql.js';
import { anUnattributedDeposit } from './unattributed-deposits.js';
import { vaultServices } from './vault-services.js';

const WHY = ['--reason', 'sent by mistake'] as const;

/** The recorded facts about a refund and its deposit. */
export interface RefundFacts {
  readonly status: string;
  readonly waitingReason: string | null;
  readonly isSigned: boolean;
  readonly failureCode: string | null;
  readonly txHash: string | null;
  readonly heldAs: string | null;
  /** The balances in the deposit's token that are not zero, by account. */
  readonly balances: Readonly<Record<string, string>>;
}

/** A refund that staff ordered. */
export interface SceneRefund {
  readonly id: string;
  readonly depositId: string;
  readonly destination: string;
}

/** Deposits in suspense, a vault and a funded hot wallet: all parts between the command of staff and the signature. */
export class RefundScene {
  readonly signer: PaymentSpecSigner<RefundWaitingReason>;
  readonly outcomes: RefundOutcomeHandler;
  /** The chain of new deposits. A spec may replace it. */
  chain: SeededChain;

  private constructor(readonly payouts: PayoutScene) {
    const { refunds, refundOutcomes } = vaultServices(payouts.database, new RecordingQueue().queue);
    this.signer = refunds;
    this.outcomes = refundOutcomes;
    this.chain = payouts.chain;
  }

  static async open(payouts?: PayoutScene): Promise<RefundScene> {
    return new RefundScene(payouts ?? (await PayoutScene.open()));
  }

  get database(): Database {
    return this.payouts.database;
  }

  get vault(): LocalVault {
    return this.payouts.vault;
  }

  close(): Promise<void> {
    return this.payouts.close();
  }

  /** Books 25 dollars, or an amount of another token, to suspense, on an address without an intent. Returns the id. */
  async aDeposit(other: { readonly contract?: string; readonly amount?: bigint } = {}): Promise<string> {
    const [address = ''] = await freeAddresses(this.database, 1);
    const traits = { chain: this.chain, address, reason: 'address_not_assigned', ...other } as const;
    const id = await anUnattributedDeposit(this.database, traits);
    await new SuspenseBooking(this.database, new LedgerService(), createLogger('silent')).bookFinal();
    return id;
  }

  /** Orders the refund of a deposit, by default of a new one to an unrelated address. */
  async anOrder(destination = Wallet.createRandom().address, deposit?: string): Promise<SceneRefund> {
    const depositId = deposit ?? (await this.aDeposit());
    const { code, out, err } = await this.resolve(depositId, destination);
    if (code !== 0) throw new Error(err);
    const id = /ret_\w+/.exec(out)?.[0] ?? '';
    await simulated(this.database, id);
    return { id, depositId, destination };
  }

  /** Returns the orders to refund a deposit, the oldest first. */
  ordersOf(depositId: string): Promise<{ id: string; destination: string; status: string }[]> {
    return query(
      this.database,
      `select id, destination, status from deposit_return where deposit_id = $1 order by created_at, id`,
      [depositId],
    );
  }

  /** `coffer deposits resolve --to-address`. */
  resolve(depositId: string, destination: string): Promise<CliRun> {
    return this.coffer('deposits', 'resolve', depositId, '--to-address', destination, ...WHY);
  }

  /** Runs `coffer ...`. Commands about refunds get a node of the chain, which counts no transactions. */
  async coffer(...args: readonly string[]): Promise<CliRun> {
    const environment = { DATABASE_URL: this.payouts.db.url };
    if (args[0] !== 'refunds') return runCommand(args, environment);
    const node = await SandboxChain.start(this.database, this.chain);
    try {
      return await runCommand(args, { ...environment, DATA_DIR: node.dataDir });
    } finally {
      await node.stop();
    }
  }

  async facts(id: string): Promise<RefundFacts> {
    const [row] = await query<Omit<RefundFacts, 'balances'> & { deposit_id: string; asset: string }>(
      this.database,
      `select deposit_return.status, waiting_reason as "waitingReason", signed_at is not null as "isSigned",
              failure_code as "failureCode", deposit_return.tx_hash as "txHash", deposit.held_as as "heldAs", deposit_id
         from deposit_return join deposit on deposit.id = deposit_id where deposit_return.id = $1`,
      [id],
    );
    if (row === undefined) throw new Error(`There is no refund ${id}.`);
    const { deposit_id: depositId, ...facts } = row;
    return { ...facts, balances: await this.balances(depositId) };
  }

  /** Returns the sums of the entries about a deposit, by account. */
  async balances(depositId: string): Promise<Readonly<Record<string, string>>> {
    const rows = await query<{ kind: string; sum: string }>(
      this.database,
      `select account.kind, sum(posting.amount) from entry join posting on posting.entry_id = entry.id
         join account on account.id = posting.account_id
        where split_part(entry.reference, ':', 2) = $1 group by account.kind having sum(posting.amount) <> 0`,
      [depositId],
    );
    return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
  }

  /** Records the outcome of a refund's transaction, like the worker. Returns the hash. */
  async ends(id: string, succeeded: boolean): Promise<string> {
    return this.database.transaction(async (tx) => {
      const [sent] = await query<{ id: string; tx_hash: string }>(
        this.database,
        `select sent.id, attempt.tx_hash from chain_transaction sent
           join transaction_attempt attempt on attempt.transaction_id = sent.id
          where sent.purpose = 'deposit_return' and sent.purpose_id = $1 and sent.status = 'signed'`,
        [id],
      );
      if (sent === undefined) throw new Error(`Nothing is signed for ${id}.`);
      const { id: transactionId, tx_hash: txHash } = sent;
      await query(
        tx,
        `update chain_transaction set status = $2, mined_hash = $3, mined_height = 7, fee_paid = 0, finished_at = now()
          where id = $1`,
        [transactionId, succeeded ? 'succeeded' : 'reverted', txHash],
      );
      const end = { succeeded, txHash, height: 7, fee: 1n, returnedRent: 0n, lost: null, logs: [] };
      await this.outcomes.ended(tx, [{ transactionId, purposeId: id, ...end }]);
      return txHash;
    });
  }
}
