import { Injectable } from '@nestjs/common';
import { notFound } from '../domain/errors.js';
import type { Standing } from '../domain/withdrawal.js';
import { Database, sql } from '../platform/database/database.js';
import { detached } from '../platform/database/detached.js';
import { STANDING_COLUMN } from './payout-reader.service.js';
import { Withdrawal } from './withdrawal.entity.js';

/** The outgoing transaction of a withdrawal. */
export interface DossierTransaction {
  readonly id: string;
  readonly chainRef: string;
  readonly sender: string;
  readonly nonce: string;
  readonly status: string;
  readonly gasLimit: string;
  readonly signedAt: string;
  readonly broadcastAt: string | null;
  /** Set while a replacement with a higher fee is wanted. */
  readonly replaceWantedAt: string | null;
  readonly minedHash: string | null;
  readonly minedHeight: string | null;
  /** Wei. */
  readonly feePaid: string | null;
}

/** One signed version of it; fees in wei per gas. */
export interface DossierAttempt {
  readonly number: number;
  readonly txHash: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
  readonly signedAt: string;
}

/** A sweep that brings coins of the same token to the same hot wallet. */
export interface DossierSweep {
  readonly id: string;
  /** `planned`, `signed` or `sent`. */
  readonly progress: string;
  /** Smallest units, by the books. */
  readonly expected: bigint;
}

/** What the vault decided, or what staff did. */
export interface DossierVerdict {
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly reason: string | null;
}

/** Everything that is known of one withdrawal. */
export interface WithdrawalDossier {
  readonly withdrawal: Withdrawal;
  /** Null once it has ended. */
  readonly standing: Standing | null;
  readonly transaction: DossierTransaction | null;
  /** While coins are missing: the open sweeps that bring some, the oldest first. */
  readonly sweeps: readonly DossierSweep[];
  readonly attempts: readonly DossierAttempt[];
  /** In the order of time. */
  readonly verdicts: readonly DossierVerdict[];
}

/** Puts together what staff want to know of one withdrawal. */
@Injectable()
export class WithdrawalDossiers {
  constructor(private readonly database: Database) {}

  /** @throws DomainError not_found */
  async of(id: string): Promise<WithdrawalDossier> {
    const em = this.database.em();
    const [row] = await sql<Record<string, unknown> & { standing: Standing }>(
      em,
      `select *, ${STANDING_COLUMN} as standing from withdrawal where id = $1`,
      [id],
    );
    if (row === undefined) throw notFound('withdrawal');
    const withdrawal = detached(em, Withdrawal, row);
    const [transaction] = await this.database.query<DossierTransaction>(
      `select id, chain_ref as "chainRef", sender, nonce, status, gas_limit as "gasLimit", created_at as "signedAt",
              broadcast_at as "broadcastAt", replace_wanted_at as "replaceWantedAt", mined_hash as "minedHash",
              mined_height as "minedHeight", fee_paid as "feePaid"
         from chain_transaction where purpose = 'withdrawal' and purpose_id = $1`,
      [id],
    );
    return {
      withdrawal,
      standing: withdrawal.status === 'broadcasting' ? row.standing : null,
      transaction: transaction ?? null,
      sweeps: row.standing === 'coins_missing' ? await this.sweeps(withdrawal) : [],
      attempts: transaction === undefined ? [] : await this.attempts(transaction.id),
      verdicts: await this.verdicts(id),
    };
  }

  private attempts(transactionId: string): Promise<DossierAttempt[]> {
    return this.database.query<DossierAttempt>(
      `select number, tx_hash as "txHash", max_fee_per_gas as "maxFeePerGas",
              max_priority_fee_per_gas as "maxPriorityFeePerGas", signed_at as "signedAt"
         from transaction_attempt where transaction_id = $1 order by number`,
      [transactionId],
    );
  }

  private async sweeps({ chainRef, tokenContract }: Withdrawal): Promise<DossierSweep[]> {
    const rows = await this.database.query<Omit<DossierSweep, 'expected'> & { expected: string }>(
      `select sweep.id, sum(item.expected) as expected,
              case when sweep.signed_at is null then 'planned' when transaction.broadcast_at is null then 'signed'
                   else 'sent' end as progress
         from sweep_item item
         join sweep on sweep.id = item.sweep_id
         left join chain_transaction transaction
           on transaction.purpose = 'sweep' and transaction.purpose_id = sweep.id
        where item.chain_ref = $1 and item.token_contract = $2 and item.swept is null
        group by sweep.id, transaction.broadcast_at order by sweep.created_at, sweep.id`,
      [chainRef, tokenContract],
    );
    return rows.map((row) => ({ ...row, expected: BigInt(row.expected) }));
  }

  private verdicts(id: string): Promise<DossierVerdict[]> {
    return this.database.query<DossierVerdict>(
      `select created_at as at, 'vault' as who,
              case verdict when 'signed' then 'signed attempt ' || attempt else verdict end as what,
              coalesce(reason, tx_hash) as reason
         from vault_audit where purpose = 'withdrawal' and purpose_id = $1
        union all
       select created_at, actor, action, reason from audit_entry where subject = $1
        order by at`,
      [id],
    );
  }
}
