import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { LogEntry } from '../../chains/log-entry.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { assetOf, transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { OpenTransaction } from './open-transaction.js';
import type { TransactionPurpose } from './transaction-order.js';
import {
  FAILPOINT_PREFIXES,
  type LostAmount,
  type OutcomeHandlers,
  OUTCOME_HANDLERS,
  type ShortPayment,
} from './outcome-handler.js';
import { type EndedTransaction, endTransactions, lockTransactions } from './outcomes.sql.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';

/** The attempt of a transaction that the chain mined. */
export interface MinedAttempt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  /** What it cost beside what it paid, in smallest units of the coin. */
  readonly fee: bigint;
  /** The coins that it brought for accounts which it closed; 0 on chains without rent. */
  readonly returnedRent: bigint;
  /** Tokens that it took as a loss, where transactions expire; null where its logs show them. */
  readonly lost: readonly LostAmount[] | null;
  /** Null unless it is a payment that brought its recipient less than its amount. */
  readonly short: ShortPayment | null;
  readonly logs: readonly LogEntry[];
}

/** A transaction with its mined attempt. */
export type MinedTransaction = readonly [Pick<OpenTransaction, 'id' | 'purpose'>, MinedAttempt];

/** Transactions that are recorded in one database transaction. */
const ENDED_TOGETHER = 100;

type EndedPlace = Pick<RowOf<typeof endTransactions>, 'environment' | 'network'>;

/** Returns the mined attempt of a receipt. */
export const minedAttempt = ({ gasUsed, effectiveGasPrice, ...receipt }: TransactionReceipt): MinedAttempt => ({
  ...receipt,
  fee: gasUsed * effectiveGasPrice,
  returnedRent: 0n,
  lost: null,
  short: null,
});

/** Records how outgoing transactions ended, with all consequences. */
@Injectable()
export class OutcomeRecorder {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    @Inject(OUTCOME_HANDLERS) private readonly handlers: OutcomeHandlers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Ends transactions of one chain by receipts of their attempts. A receipt counts only when the listener recorded its
   * block as final, and, where it still has a block of that height, the same block. A transaction that cannot be
   * recorded is logged and delays no other.
   */
  async end(mined: readonly MinedTransaction[]): Promise<void> {
    for (const [purpose, some] of Map.groupBy(mined, ([transaction]) => transaction.purpose)) {
      for (let from = 0; from < some.length; from += ENDED_TOGETHER) {
        await this.endEach(purpose, some.slice(from, from + ENDED_TOGETHER));
      }
    }
  }

  /** Records transactions together; if that fails, one by one. */
  private async endEach(purpose: TransactionPurpose, mined: readonly MinedTransaction[]): Promise<void> {
    try {
      await this.endTogether(purpose, mined);
    } catch (error) {
      const [[transaction] = [], ...others] = mined;
      if (others.length > 0) for (const each of mined) await this.endEach(purpose, [each]);
      else
        this.logger.error(
          { transactionId: transaction?.id, err: error },
          'The outcome of a transaction was not recorded.',
        );
    }
  }

  private async endTogether(purpose: TransactionPurpose, mined: readonly MinedTransaction[]): Promise<void> {
    const prefix = FAILPOINT_PREFIXES[purpose];
    mined.forEach(() => failpoint(`${prefix}.mined_seen`));
    const recorded = await this.database.transaction(async (tx) => {
      await rows(tx, lockTransactions(mined.map(([{ id }]) => id)));
      const ended = await rows(tx, endTransactions(mined.map(endedOf)));
      const receipts = new Map(mined.map(([{ id }, receipt]) => [id, receipt]));
      const outcomes = ended.flatMap(({ id, purposeId, ...place }) => {
        const receipt = receipts.get(id);
        return receipt === undefined ? [] : [{ ...receipt, ...place, transactionId: id, purposeId }];
      });
      if (outcomes.length === 0) return [];
      await this.bookGas(tx, outcomes);
      await this.handlers[purpose].ended(tx, outcomes);
      outcomes.forEach(() => failpoint(`${prefix}.posted`));
      return outcomes;
    });
    for (const { transactionId, purposeId, short } of recorded) {
      if (short === null) continue;
      const [amount, arrived] = [String(short.amount), String(short.arrived)];
      this.logger.warn(
        { transactionId, purposeId, amount, arrived },
        'A payment brought its recipient less than its amount.',
      );
    }
  }

  /** Stops signing on a chain whose wallet somebody else uses too; operators must investigate. */
  async freeze({ chainRef, nonce }: OpenTransaction): Promise<void> {
    const reason = `Nonce ${nonce} of the hot wallet was used by a transaction that is not ours.`;
    const isNews = await this.database.transaction((tx) => freezeWallet(tx, chainRef, reason));
    if (isNews) this.logger.fatal({ chainRef, reason }, 'Signing is frozen.');
  }

  /** We pay gas in the native coin; the fees charged to merchants are booked separately. */
  private async bookGas(
    tx: Tx,
    outcomes: readonly (MinedAttempt & EndedPlace & { readonly transactionId: string })[],
  ): Promise<void> {
    const paid = outcomes.filter(({ fee }) => fee > 0n);
    const [first] = paid;
    if (first === undefined) return;
    const { environment, network } = first;
    const asset = assetOf(network, NATIVE_COIN);
    const chain = await systemAccount(tx, 'chain', environment, asset);
    const fees = await systemAccount(tx, 'network_fees', environment, asset);
    await this.ledger.bookAll(
      tx,
      paid.map((outcome) => ({
        reference: `gas:${outcome.transactionId}`,
        kind: 'network_fee',
        environment,
        legs: transfer({ from: fees, to: chain, asset, amount: outcome.fee }),
      })),
    );
  }
}

const endedOf = ([{ id }, receipt]: MinedTransaction): EndedTransaction => ({
  id,
  status: receipt.succeeded ? 'succeeded' : 'reverted',
  hash: receipt.txHash,
  height: receipt.height,
  fee: receipt.fee,
  blockHash: receipt.blockHash,
});
