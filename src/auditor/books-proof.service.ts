import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { AUDIT_SCOPES, type AuditScope, BooksAudit } from './books-audit.entity.js';

/** The last audit of the books of one scope. */
export interface BooksProof {
  readonly scope: AuditScope;
  readonly finishedAt: Date;
  /** The broken rules of all environments, each with how many rows break it. */
  readonly brokenRules: readonly { readonly rule: string; readonly count: number }[];
  /** The named findings about one of the asked rows. */
  readonly about: readonly string[];
}

/** Reads the last audits of the books. */
@Injectable()
export class BooksProofs {
  constructor(private readonly database: Database) {}

  /** Returns the last audit of each scope, with what it says about rows, such as `pocket pkt_...`. */
  async latest(rows: readonly string[]): Promise<BooksProof[]> {
    const em = this.database.em();
    const newest = await Promise.all(
      AUDIT_SCOPES.map((scope) => em.fork().findOne(BooksAudit, { scope }, { orderBy: { id: 'desc' } })),
    );
    return newest.flatMap((audit) => (audit === null ? [] : [proofOf(audit, rows)]));
  }
}

function proofOf({ scope, finishedAt, findings }: BooksAudit, rows: readonly string[]): BooksProof {
  return {
    scope,
    finishedAt,
    brokenRules: findings.map(({ check, count }) => ({ rule: check, count })),
    about: findings.flatMap(({ named }) =>
      named.filter(({ row }) => rows.includes(row)).map(({ row, says }) => `${row} ${says}`),
    ),
  };
}
