import { Injectable } from '@nestjs/common';
import { decodeTransfer } from '../../chains/evm/transfer-log.js';
import type { LogEntry } from '../../chains/log-entry.js';
import { type Transfer, assetOf, transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { row, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { OutcomeHandler, type TransactionOutcome } from './outcome-handler.js';
import { findLoss, insertLossItem } from './outcomes.sql.js';

type LossRow = RowOf<typeof findLoss>;

/** Books losses: the funds left the wallet and no order explains it, so they become a receivable. */
@Injectable()
export class LossOutcomeHandler extends OutcomeHandler {
  constructor(private readonly ledger: LedgerService) {
    super();
  }

  /** The vault never signs for a loss. */
  async orderOf(): Promise<null> {
    return null;
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    for (const outcome of outcomes) await this.bookLoss(tx, outcome);
  }

  /** Books the amounts of the final transaction: a call of a foreign contract may take any token, and several. */
  private async bookLoss(
    tx: Tx,
    { transactionId, purposeId, succeeded, height, logs, lost }: TransactionOutcome,
  ): Promise<void> {
    if (!succeeded) return;
    const loss = await row(tx, findLoss(transactionId));
    const taken = lost?.map(({ token, amount }) => [token, amount] as const) ?? tokensTaken(loss, logs);
    for (const [tokenContract, amount] of taken) {
      await rows(tx, insertLossItem({ transactionId, chainRef: loss.chainRef, tokenContract, amount, height }));
    }
    const { environment, network } = loss;
    const carried = [loss.tokenContract, BigInt(loss.amount)] as const;
    const transfers: Transfer[] = [];
    for (const [token, amount] of [carried, ...taken]) {
      if (amount === 0n) continue;
      const asset = assetOf(network, token);
      const from = await systemAccount(tx, 'receivable', environment, asset);
      const to = await systemAccount(tx, 'chain', environment, asset);
      transfers.push({ from, to, asset, amount });
    }
    const legs = transfer(...transfers);
    if (legs.length > 0)
      await this.ledger.book(tx, { reference: `loss:${purposeId}`, kind: 'loss', environment, legs });
  }
}

/** Returns by token (lower case) how much more left the wallet than came to it, where that is positive. */
function tokensTaken(
  { sender, tokens, tokenContract }: LossRow,
  logs: readonly LogEntry[],
): readonly (readonly [string, bigint])[] {
  // The row's own token was recorded from the signed bytes.
  const listed = new Set(tokens.filter((token) => token !== tokenContract));
  const taken = new Map<string, bigint>();
  for (const log of logs) {
    const moved = decodeTransfer(log, listed);
    if (moved === null || moved.from === moved.to) continue;
    const sign = moved.from === sender ? 1n : moved.to === sender ? -1n : 0n;
    taken.set(moved.token, (taken.get(moved.token) ?? 0n) + sign * moved.amount);
  }
  return [...taken].filter(([, amount]) => amount > 0n).toSorted(([one], [other]) => one.localeCompare(other));
}
