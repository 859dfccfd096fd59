import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { type GasFees, OFFER_MAX, replacementFeesOf } from '../../domain/network-fee.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { Vault } from '../../vault/vault.js';
import { type Authorizations, evmSignable } from './checked-signature.js';
import { isElsewhere } from '../database-identity.js';
import { currentFees } from '../fees/current-fees.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { type EvmWallet, isEvmWallet, lockWallet } from '../wallets/locked-wallet.js';
import { type ReplacementRefusal, refuseReplacement } from './replacement-refusal.js';
import { endWanted, findWithNewestAttempt, lockWanted } from './replacements.sql.js';
import { type NonceOrder, takesNonce } from './transaction-order.js';
import { type OutcomeHandlers, OUTCOME_HANDLERS } from './outcome-handler.js';
import { type SigningOutcomes, SigningRun } from './signing-run.js';
import { TransactionSigner } from './transaction-signer.service.js';
import { waitingReplacements } from './waiting-orders.sql.js';

type StuckRow = RowOf<typeof findWithNewestAttempt>;

/** The parts of a replacement. */
interface Replacement {
  readonly row: StuckRow;
  readonly wallet: EvmWallet;
  readonly order: NonceOrder;
  readonly fees: GasFees;
}

/**
 * Replaces a stuck transaction by one with a higher fee: another attempt with the same nonce, so that the chain mines
 * one of them. The worker finds stuck transactions (`StuckTransactions`), the vault signs.
 */
@Injectable()
export class Replacements {
  constructor(
    private readonly database: Database,
    private readonly balances: HotBalances,
    private readonly transactions: TransactionSigner,
    @Inject(OUTCOME_HANDLERS) private readonly outcomes: OutcomeHandlers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Signs every wanted replacement, as `SigningRun.signWaiting`. Runs in the vault role. */
  async signWanted(vault: Vault): Promise<void> {
    await this.run(vault).signWaiting();
  }

  /**
   * Signs one replacement. One that the wallet cannot pay for, or that exceeds the cap, stays wanted and is reported to
   * operators.
   */
  async sign(vault: Vault, transactionId: string): Promise<void> {
    await this.run(vault).sign(transactionId);
  }

  private run(vault: Vault): SigningRun<never> {
    return new SigningRun(this.database, this.logger, {
      ...waitingReplacements,
      noun: 'replacement',
      logKey: 'transactionId',
      failpoint: 'replacement',
      // Each keeps its own nonce and may need its own authorizations.
      together: 1,
      sign: ([transactionId = '']) => this.signOne(vault, transactionId),
    });
  }

  private async signOne(vault: Vault, transactionId: string): Promise<SigningOutcomes<never>> {
    const early = await this.database.transaction((tx) => this.wanted(tx, transactionId));
    if (early === null) return new Map();
    // Authorizations are signed before the wallet is locked: every payment waits for that lock.
    const { purpose, purposeId } = early.row;
    const authorizations = await this.outcomes[purpose].authorizations(vault, purposeId);
    const isSigned = await this.database.transaction((tx) => this.signIn(tx, vault, transactionId, authorizations));
    return new Map(isSigned ? [[transactionId, 'signed']] : []);
  }

  private async signIn(tx: Tx, vault: Vault, transactionId: string, authorizations: Authorizations): Promise<boolean> {
    const replacement = await this.wanted(tx, transactionId);
    if (replacement === null) return false;
    await this.signAttempt(tx, vault, replacement, authorizations);
    return true;
  }

  /** Locks and returns the parts of a replacement; null while it must not be signed. */
  private async wanted(tx: Tx, transactionId: string): Promise<Replacement | null> {
    const row = await lockStuck(tx, transactionId);
    if (row === null) return null;
    const wallet = await lockWallet(tx, row.chainRef);
    // A stopped wallet is reported once, and not for each of its transactions.
    if (wallet === null || !isEvmWallet(wallet)) return null;
    if (wallet.frozenReason !== null || wallet.isInDoubt || wallet.isPaused || isElsewhere(wallet)) return null;
    const decision = await this.decide(tx, row, wallet);
    if (typeof decision !== 'string') return decision;
    if (await refuseReplacement(tx, row, decision)) {
      const { id, chainRef, nonce } = row;
      this.logger.error(
        { transactionId: id, chainRef, nonce, reason: decision },
        'A stuck transaction was not replaced.',
      );
    }
    return null;
  }

  private async decide(tx: Tx, row: StuckRow, wallet: EvmWallet): Promise<Replacement | ReplacementRefusal> {
    const order = await this.outcomes[row.purpose].orderOf(tx, row.purposeId);
    if (order === 'address_blocked') return order;
    if (order === null || !takesNonce(order) || order.chainRef !== row.chainRef) return 'no_order';
    const prices = await currentFees(tx, row.chainRef);
    if (prices === null) return 'no_fresh_fees';
    const last = {
      maxFeePerGas: BigInt(row.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(row.maxPriorityFeePerGas),
    };
    const fees = replacementFeesOf(wallet.network, prices, 'fast', last);
    const gasLimit = BigInt(row.gasLimit);
    if (fees === null || gasLimit * fees.maxFeePerGas > OFFER_MAX) return 'fees_above_cap';
    const extraGas = (fees.maxFeePerGas - last.maxFeePerGas) * gasLimit;
    const coins = await this.balances.spendable(tx, row.chainRef, NATIVE_COIN);
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
      gasLimit: BigInt(row.gasLimit),
      ...fees,
    };
    // Compared with the order itself, not with the transaction that it replaces.
    const { id: transactionId, number, purpose, purposeId } = row;
    const signable = evmSignable(wallet, { fields, order, authorizations });
    const terms = { transactionId, attempt: number + 1, purpose, purposeId, order };
    await this.transactions.signAttempts(tx, vault, wallet, [{ ...terms, signable }]);
    await rows(tx, endWanted(transactionId));
  }
}

/** Locks and returns the transaction with its newest attempt; null when no replacement is wanted any more. */
async function lockStuck(tx: Tx, transactionId: string): Promise<StuckRow | null> {
  const [locked] = await rows(tx, lockWanted(transactionId));
  if (locked === undefined) return null;
  const [row] = await rows(tx, findWithNewestAttempt(transactionId));
  return row ?? null;
}
