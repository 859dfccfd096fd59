import { Injectable } from '@nestjs/common';
import { decodeTransfer } from '../../chains/evm/transfer-log.js';
import type { LogEntry } from '../../chains/log-entry.js';
import { type Environment, NATIVE_COIN, type Network } from '../../domain/network.js';
import { type Transfer, assetOf, transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { OutcomeHandler, type TransactionOutcome } from './outcome-handler.js';

interface LossRow {
  chain_ref: string;
  sender: string;
  environment: Environment;
  network: Network;
  token_contract: string;
  amount: string;
  /** Listed on the chain, in lower case, whether they are enabled or not. */
  tokens: string[];
}

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

  /** Books the amounts of the final receipt's logs: a call of a foreign contract may take any token, and several. */
  private async bookLoss(
    tx: Tx,
    { transactionId, purposeId, succeeded, height, logs }: TransactionOutcome,
  ): Promise<void> {
    if (!succeeded) return;
    const loss = await sqlOne<LossRow>(
      tx,
      `select sent.chain_ref, sent.sender, chain.environment, chain.network, sent.token_contract, sent.amount,
              array(select lower(contract) from chain_token
                     where chain_ref = sent.chain_ref and contract <> $2) as tokens
         from chain_transaction sent join chain on chain.id = sent.chain_ref where sent.id = $1`,
      [transactionId, NATIVE_COIN],
    );
    const taken = tokensTaken(loss, logs);
    for (const [token, amount] of taken) {
      await sql(
        tx,
        `insert into loss_item (transaction_id, chain_ref, token_contract, amount, height) values ($1, $2, $3, $4, $5)`,
        [transactionId, loss.chain_ref, token, amount, height],
      );
    }
    const { environment, network } = loss;
    const carried = [loss.token_contract, BigInt(loss.amount)] as const;
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
  { sender, tokens, ...row }: LossRow,
  logs: readonly LogEntry[],
): readonly (readonly [string, bigint])[] {
  // The row's own token was recorded from the signed bytes.
  const listed = new Set(tokens.filter((token) => token !== row.token_contract));
  const taken = new Map<string, bigint>();
  for (const log of logs) {
    const moved = decodeTransfer(log, listed);
    if (moved === null || moved.from === moved.to) continue;
    const sign = moved.from === sender ? 1n : moved.to === sender ? -1n : 0n;
    taken.set(moved.token, (taken.get(moved.token) ?? 0n) + sign * moved.amount);
  }
  return [...taken].filter(([, amount]) => amount > 0n).toSorted(([one], [other]) => one.localeCompare(other));
}
