import { Injectable } from '@nestjs/common';
import { checksumEvmAddress } from '../domain/evm-address.js';
import { NATIVE_COIN } from '../domain/network.js';
import { type GasFees, replacementFeesOf } from '../domain/network-fee.js';
import { readTransferCall } from '../domain/transfer-call.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { JobQueue } from '../platform/queue/job-queue.js';
import type { Vault } from '../vault/vault.js';
import { FeeRounds } from './fee-rounds.service.js';
import { HotBalances } from './hot-balances.service.js';
import { type LockedWallet, lockWallet, signChecked } from './transaction-signing.service.js';
import { recordSigned } from './vault-records.js';

/** Signed so long ago and not final: if the network asks for more by now, more is offered. */
const STUCK_AFTER_MS = 30_000;
/** And after so long in any case: a tip may be too small although the base fee is covered. */
const STUCK_FOR_GOOD_AFTER_MS = 300_000;
const ATTEMPTS_MAX = 20;
const BATCH = 100;

interface StuckRow {
  id: string;
  chain_ref: string;
  purpose: 'withdrawal';
  purpose_id: string;
  nonce: string;
  destination: string;
  value: string;
  data: string;
  gas_limit: string;
  token_contract: string;
  amount: string;
  number: number;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
}

/**
 * Offers more for a transaction that is stuck: another attempt with the same nonce, so that the chain takes one of them.
 * The worker finds what is stuck, the vault signs.
 */
@Injectable()
export class Replacements {
  constructor(
    private readonly database: Database,
    private readonly fees: FeeRounds,
    private readonly balances: HotBalances,
    private readonly queue: JobQueue,
  ) {}

  /** Marks what is not mined and offers less than the network asks for now; wakes the vault. */
  async findStuck(): Promise<void> {
    const rows = await this.database.query<{ id: string }>(
      `update chain_transaction set replace_wanted_at = now()
        where id in (
          select transaction.id
            from chain_transaction transaction
            join lateral (select * from transaction_attempt where transaction_id = transaction.id
                           order by number desc limit 1) attempt on true
            join lateral (select base_fee from fee_round where chain_ref = transaction.chain_ref
                           order by taken_at desc limit 1) fee on true
           where transaction.status = 'signed' and transaction.replace_wanted_at is null
             and attempt.signed_at < now() - $1 * interval '1 millisecond' and attempt.number < $2
             and (fee.base_fee + attempt.max_priority_fee_per_gas > attempt.max_fee_per_gas
                  or attempt.signed_at < now() - $4 * interval '1 millisecond')
           order by transaction.nonce limit $3)
        returning id`,
      [STUCK_AFTER_MS, ATTEMPTS_MAX, BATCH, STUCK_FOR_GOOD_AFTER_MS],
    );
    this.queue.wakeMany(
      'treasury.replace',
      rows.map(({ id }) => ({ transactionId: id })),
    );
  }

  /** Signs every replacement that is wanted. Runs in the vault role. */
  async signWanted(vault: Vault): Promise<void> {
    const rows = await this.database.query<{ id: string }>(
      `select id from chain_transaction where status = 'signed' and replace_wanted_at is not null
        order by replace_wanted_at limit $1`,
      [BATCH],
    );
    for (const { id } of rows) await this.sign(vault, id);
  }

  /** Signs one replacement; what cannot be paid for or would exceed the cap stays wanted. */
  async sign(vault: Vault, transactionId: string): Promise<void> {
    const signed = await this.database.transaction((tx) => this.signIn(tx, vault, transactionId));
    if (signed) this.queue.wake('treasury.broadcast', {});
  }

  private async signIn(tx: Tx, vault: Vault, transactionId: string): Promise<boolean> {
    const row = await lockStuck(tx, transactionId);
    if (row === null) return false;
    const wallet = await lockWallet(tx, row.chain_ref);
    const round = await this.fees.current(tx, row.chain_ref);
    if (wallet === null || wallet.frozenReason !== null || round === null) return false;
    const last = {
      maxFeePerGas: BigInt(row.max_fee_per_gas),
      maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    };
    const fees = replacementFeesOf(wallet.network, round, 'fast', last);
    if (fees === null) return false;
    const extraGas = (fees.maxFeePerGas - last.maxFeePerGas) * BigInt(row.gas_limit);
    const coins = await this.balances.spendable(tx, row.chain_ref, NATIVE_COIN);
    if (coins === null || coins < extraGas) return false;
    await this.signAttempt(tx, vault, { row, wallet, fees });
    return true;
  }

  private async signAttempt(
    tx: Tx,
    vault: Vault,
    { row, wallet, fees }: { readonly row: StuckRow; readonly wallet: LockedWallet; readonly fees: GasFees },
  ): Promise<void> {
    const call = { to: row.destination, value: BigInt(row.value), data: row.data };
    const transfer = readTransferCall(call);
    if (transfer === null) throw new Error(`Transaction ${row.id} is no transfer.`);
    const unsigned = {
      ...call,
      to: checksumEvmAddress(call.to),
      chainId: BigInt(wallet.chainId),
      nonce: Number(row.nonce),
      gasLimit: BigInt(row.gas_limit),
      ...fees,
    };
    const amount = BigInt(row.amount);
    const order = { purpose: row.purpose, purposeId: row.purpose_id, token: row.token_contract, amount };
    const signed = await signChecked(vault, wallet, unsigned, { ...order, recipient: transfer.recipient });
    await recordSigned(tx, { transactionId: row.id, attempt: row.number + 1, order, wallet, unsigned, signed });
    await sql(tx, `update chain_transaction set replace_wanted_at = null, due_at = now() where id = $1`, [row.id]);
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
