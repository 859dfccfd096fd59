import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { type GasFees, OFFER_MAX, replacementFeesOf } from '../../domain/network-fee.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { SignedMismatch } from '../../vault/signed-check.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { type Authorizations, signChecked } from './checked-signature.js';
import { isElsewhere } from '../database-identity.js';
import { FeeRounds } from '../fees/fee-rounds.service.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { type LockedWallet, lockWallet } from '../wallets/locked-wallet.js';
import { type ReplacementRefusal, refuseReplacement } from './replacement-refusal.js';
import type { StandingOrder, TransactionPurpose } from './standing-order.js';
import { type OutcomesByPurpose, TRANSACTION_OUTCOMES } from './transaction-outcomes.js';
import { recordRefusal, recordSigned } from '../vault-records.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';

const BATCH = 100;

interface StuckRow {
  id: string;
  chain_ref: string;
  purpose: TransactionPurpose;
  purpose_id: string;
  nonce: string;
  destination: string;
  value: string;
  data: string;
  gas_limit: string;
  number: number;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
}

/** Everything that a replacement is made of. */
interface Replacement {
  readonly row: StuckRow;
  readonly wallet: LockedWallet;
  readonly order: StandingOrder;
  readonly fees: GasFees;
}

/**
 * Offers more for a transaction that is stuck: another attempt with the same nonce, so that the chain takes one of them.
 * The worker finds what is stuck (`StuckTransactions`), the vault signs.
 */
@Injectable()
export class Replacements {
  constructor(
    private readonly database: Database,
    private readonly fees: FeeRounds,
    private readonly balances: HotBalances,
    private readonly queue: JobQueue,
    @Inject(TRANSACTION_OUTCOMES) private readonly outcomes: OutcomesByPurpose,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Signs every replacement that is wanted. One that cannot be signed holds up no other. Runs in the vault role.
   * @throws VaultError when the vault has stopped
   */
  async signWanted(vault: Vault): Promise<void> {
    for (let after = ''; ;) {
      const rows = await this.database.query<{ id: string }>(
        `select id from chain_transaction
          where status = 'signed' and replace_wanted_at is not null and id > $1 order by id limit $2`,
        [after, BATCH],
      );
      for (const { id } of rows) {
        await this.sign(vault, id).catch((error: unknown) => {
          if (error instanceof VaultError) throw error;
          this.logger.error({ transactionId: id, err: error }, 'a replacement was not signed');
        });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last.id;
    }
  }

  /** Signs one replacement; what cannot be paid for or would exceed the cap stays wanted, and is told to operators. */
  async sign(vault: Vault, transactionId: string): Promise<void> {
    try {
      const early = await this.database.transaction((tx) => this.wanted(tx, transactionId));
      if (early === null) return;
      // What other addresses sign is signed before the wallet is locked: every payment waits for that lock.
      const { purpose, purpose_id: purposeId } = early.row;
      const authorizations = await this.outcomes[purpose].authorizations(vault, purposeId);
      const signed = await this.database.transaction((tx) => this.signIn(tx, vault, transactionId, authorizations));
      if (signed) this.queue.wake('treasury.broadcast', {});
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(transactionId, error);
    }
  }

  /** The vault did not sign what was ordered: nothing more is signed on this chain before staff looked. */
  private async refuse(transactionId: string, error: SignedMismatch): Promise<void> {
    this.logger.fatal({ transactionId, err: error }, 'the vault signed something else than was ordered');
    await this.database.transaction(async (tx) => {
      const [row] = await sql<{ purpose: string; purpose_id: string; chain_ref: string }>(
        tx,
        `select purpose, purpose_id, chain_ref from chain_transaction where id = $1`,
        [transactionId],
      );
      if (row === undefined) return;
      const { purpose, purpose_id: purposeId, chain_ref: chainRef } = row;
      await recordRefusal(tx, { purpose, purposeId, reason: error.message });
      await freezeWallet(tx, chainRef, error.message);
    });
  }

  private async signIn(tx: Tx, vault: Vault, transactionId: string, authorizations: Authorizations): Promise<boolean> {
    const replacement = await this.wanted(tx, transactionId);
    if (replacement === null) return false;
    await this.signAttempt(tx, vault, replacement, authorizations);
    return true;
  }

  /** What a replacement is to be made of, everything locked; null while it is not to be signed. */
  private async wanted(tx: Tx, transactionId: string): Promise<Replacement | null> {
    const row = await lockStuck(tx, transactionId);
    if (row === null) return null;
    const wallet = await lockWallet(tx, row.chain_ref);
    // What stops a whole wallet is told once, and not for each of its transactions.
    if (wallet === null || wallet.frozenReason !== null || wallet.isInDoubt || isElsewhere(wallet)) return null;
    const look = await this.look(tx, row, wallet);
    if (typeof look !== 'string') return look;
    if (await refuseReplacement(tx, row, look)) {
      const { id, chain_ref: chainRef, nonce } = row;
      this.logger.error({ transactionId: id, chainRef, nonce, reason: look }, 'no more is offered for a transaction');
    }
    return null;
  }

  private async look(tx: Tx, row: StuckRow, wallet: LockedWallet): Promise<Replacement | ReplacementRefusal> {
    const order = await this.outcomes[row.purpose].standingOrder(tx, row.purpose_id);
    if (order === 'address_blocked') return order;
    if (order === null || order.chainRef !== row.chain_ref) return 'no_order';
    const round = await this.fees.current(tx, row.chain_ref);
    if (round === null) return 'no_fresh_fees';
    const last = {
      maxFeePerGas: BigInt(row.max_fee_per_gas),
      maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    };
    const fees = replacementFeesOf(wallet.network, round, 'fast', last);
    const gasLimit = BigInt(row.gas_limit);
    if (fees === null || gasLimit * fees.maxFeePerGas > OFFER_MAX) return 'fees_above_cap';
    const extraGas = (fees.maxFeePerGas - last.maxFeePerGas) * gasLimit;
    const coins = await this.balances.spendable(tx, row.chain_ref, NATIVE_COIN);
    if (coins === null) return 'balance_unknown';
    return coins < extraGas ? 'gas_missing' : { row, wallet, order, fees };
  }

  private async signAttempt(
    tx: Tx,
    vault: Vault,
    { row, wallet, order, fees }: Replacement,
    authorizations: Authorizations,
  ): Promise<void> {
    const call = { to: row.destination, value: BigInt(row.value), data: row.data };
    const fields = {
      ...call,
      to: checksumEvmAddress(call.to),
      chainId: BigInt(wallet.chainId),
      nonce: Number(row.nonce),
      gasLimit: BigInt(row.gas_limit),
      ...fees,
    };
    // What it does is compared with the order itself, not with the transaction that is to be replaced.
    const signature = await signChecked(vault, wallet, fields, { order, authorizations });
    await recordSigned(tx, {
      transactionId: row.id,
      attempt: row.number + 1,
      purpose: row.purpose,
      purposeId: row.purpose_id,
      order,
      wallet,
      ...signature,
    });
    await sql(
      tx,
      `update chain_transaction set replace_wanted_at = null, due_at = date_trunc('milliseconds', now()) where id = $1`,
      [row.id],
    );
  }
}

/** The transaction with its newest attempt, locked; null when it is not to be replaced any more. */
async function lockStuck(tx: Tx, transactionId: string): Promise<StuckRow | null> {
  const [locked] = await sql(
    tx,
    `select from chain_transaction where id = $1 and status = 'signed' and replace_wanted_at is not null
        for no key update`,
    [transactionId],
  );
  if (locked === undefined) return null;
  const [row] = await sql<StuckRow>(
    tx,
    `select transaction.*, attempt.number, attempt.max_fee_per_gas, attempt.max_priority_fee_per_gas
       from chain_transaction transaction join transaction_attempt attempt on attempt.transaction_id = transaction.id
      where transaction.id = $1 order by attempt.number desc limit 1`,
    [transactionId],
  );
  return row ?? null;
}
