import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import type { AuditScope } from './books-audit.entity.js';
import { type CheckedRule, firstBreach, verifyBooks } from './books-verification.js';
import { type KnownSeal, NO_SEAL, SEALS_HOLD, walkSeals } from './seal-check.js';
import { inSnapshot } from './snapshot.js';

/** How long an audit of everything is good for, and how soon one that found something is repeated. */
const EVERYTHING_EVERY = '24 hours';
const EVERYTHING_AGAIN = '1 hour';

interface AuditResult {
  readonly scope: AuditScope;
  readonly startedAt: Date;
  /** Up to here all is well. */
  readonly head: KnownSeal;
  readonly breach: ReturnType<typeof firstBreach>;
}

/**
 * Looks at the books again and again: what was booked since the last look each minute, everything each day. What it finds is
 * written down, logged as fatal and measured; it stops nothing by itself.
 */
@Injectable()
export class BooksAuditor {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Makes the audit that is due. One process at a time should call it. */
  async auditDue(): Promise<void> {
    const [due] = await this.database.query<{ everything: boolean }>(
      `select not exists (
         select from (select * from books_audit where scope = 'everything' order by id desc limit 1) newest
          where finished_at > now() - case when finding_row is null then $1::interval else $2::interval end
       ) as everything`,
      [EVERYTHING_EVERY, EVERYTHING_AGAIN],
    );
    const result = due?.everything === true ? await this.auditEverything() : await this.auditNewEntries();
    await this.record(result);
  }

  private async auditEverything(): Promise<AuditResult> {
    const startedAt = new Date();
    const { rules, head } = await verifyBooks(this.runtime.databaseUrl);
    return { scope: 'everything', startedAt, head, breach: firstBreach(rules) };
  }

  private async auditNewEntries(): Promise<AuditResult> {
    const startedAt = new Date();
    const from = await this.lastGood();
    const { finding, head } = await inSnapshot(this.runtime.databaseUrl, (tx) => walkSeals(tx, from));
    const rule: CheckedRule = { ...SEALS_HOLD, finding };
    return { scope: 'new_entries', startedAt, head, breach: firstBreach([rule]) };
  }

  /** The link up to which the last audit found all well, as the chain has it now. */
  private async lastGood(): Promise<KnownSeal> {
    const [row] = await this.database.query<{ sequence: string; hash: string }>(
      `select sequence, hash from ledger_seal
        where sequence = (select sealed_to from books_audit order by id desc limit 1)`,
    );
    return row === undefined ? NO_SEAL : { sequence: Number(row.sequence), hash: row.hash };
  }

  private async record({ scope, startedAt, head, breach }: AuditResult): Promise<void> {
    const { finding } = breach ?? { finding: null };
    await this.database.query(
      `insert into books_audit (scope, sealed_to, finding_check, finding_row, finding_says, started_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [scope, head.sequence, breach?.name ?? null, finding?.row ?? null, finding?.says ?? null, startedAt],
    );
    this.metrics.books.audited(scope, { sealedTo: head.sequence, isClean: breach === null });
    // Where nobody who writes to the database can reach it, this line vouches for every entry before it.
    const sealed = { scope, sealed_to: head.sequence, seal: head.hash };
    if (breach === null) this.logger.info(sealed, 'the books hold');
    else this.logger.fatal({ ...sealed, rule: breach.name, ...finding }, 'the books do not hold');
  }
}
