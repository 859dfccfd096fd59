import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import { type Environment, NATIVE_COIN, type Network } from '../../domain/network.js';
import { assetOf, transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import type { OpenTransaction } from './open-transaction.js';
import { FAILPOINT_PREFIXES, type OutcomesByPurpose, TRANSACTION_OUTCOMES } from './transaction-outcomes.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';

interface EndedRow {
  purpose_id: string;
  environment: Environment;
  network: Network;
}

/** Writes down how outgoing transactions ended, with everything that follows, in one transaction each. */
@Injectable()
export class TransactionEndings {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    @Inject(TRANSACTION_OUTCOMES) private readonly outcomes: OutcomesByPurpose,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Ends a transaction by the receipt of one of its attempts. Ignored unless the receipt's block is final by what the
   * listener recorded, and is the block that the listener recorded at that height, as far as it still remembers it.
   */
  async end({ id, chainRef, purpose }: OpenTransaction, receipt: TransactionReceipt): Promise<void> {
    failpoint(`${FAILPOINT_PREFIXES[purpose]}.mined_seen`);
    await this.database.transaction(async (tx) => {
      const feePaid = receipt.gasUsed * receipt.effectiveGasPrice;
      const [ended] = await sql<EndedRow>(
        tx,
        `update chain_transaction transaction
            set status = $3, mined_hash = $4, mined_height = $5, fee_paid = $6, finished_at = now()
           from chain, chain_cursor cursor
          where transaction.id = $1 and transaction.status = 'signed' and chain.id = $2 and cursor.chain_ref = $2
            and cursor.finalized_height >= $5 and cursor.halted_reason is null
            and not exists (select from chain_block block
                             where block.chain_ref = $2 and block.height = $5 and block.hash <> $7)
         returning transaction.purpose_id, chain.environment, chain.network`,
        [
          id,
          chainRef,
          receipt.succeeded ? 'succeeded' : 'reverted',
          receipt.txHash,
          receipt.height,
          feePaid.toString(),
          receipt.blockHash,
        ],
      );
      if (ended === undefined) return;
      await this.bookGas(tx, id, ended, feePaid);
      await this.outcomes[purpose].ended(tx, {
        transactionId: id,
        purposeId: ended.purpose_id,
        succeeded: receipt.succeeded,
        txHash: receipt.txHash,
        height: receipt.height,
        logs: receipt.logs,
      });
      failpoint(`${FAILPOINT_PREFIXES[purpose]}.posted`);
    });
  }

  /** Stops signing on a chain whose wallet somebody else uses too; staff must look into it. */
  async freeze({ chainRef, nonce }: OpenTransaction): Promise<void> {
    const reason = `Nonce ${nonce} of the hot wallet was used by a transaction that is not ours.`;
    const isNews = await this.database.transaction((tx) => freezeWallet(tx, chainRef, reason));
    if (isNews) this.logger.fatal({ chainRef, reason }, 'signing is frozen');
  }

  /** Gas is paid in the chain's own coin, by us: what merchants were charged for it is booked apart. */
  private async bookGas(tx: Tx, id: string, { environment, network }: EndedRow, amount: bigint): Promise<void> {
    if (amount === 0n) return;
    const asset = assetOf(network, NATIVE_COIN);
    const chain = await systemAccount(tx, 'chain', environment, asset);
    const fees = await systemAccount(tx, 'network_fees', environment, asset);
    await this.ledger.book(tx, {
      reference: `gas:${id}`,
      kind: 'network_fee',
      environment,
      legs: transfer({ from: fees, to: chain, asset, amount }),
    });
  }
}
