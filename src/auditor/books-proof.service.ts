import { Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { ACTION_CHAIN, UNSEALED_ACTIONS_CHECK } from './checks/audit-seal-check.js';
import { AUDIT_SCOPES, type AuditScope, BooksAudit } from './books-audit.entity.js';
import { type ShownRule, shownRules } from './shown-rules.js';

/** The last audit of the books of one scope. */
export interface BooksProof {
  readonly scope: AuditScope;
  readonly finishedAt: Date;
  /** The rules that rows of the environment break, or rows that the audit counted without naming them. */
  readonly brokenRules: readonly string[];
  /** The named findings about one of the asked rows. */
  readonly about: readonly string[];
}

/** What the last audits say about the hash chain over the audit log. */
export interface ActionChainProof {
  readonly checkedAt: Date;
  /** The number of sealed entries up to the last one that was checked. */
  readonly sealedTo: number;
  /** Empty while the chain holds. */
  readonly findings: readonly string[];
}

const ACTION_RULES: readonly string[] = [ACTION_CHAIN.name, UNSEALED_ACTIONS_CHECK.name];

/** Reads the last audits of the books. */
@Injectable()
export class BooksProofs {
  constructor(private readonly database: Database) {}

  /** Returns the last audit of each scope as one environment sees it, with what it says about rows, such as `pocket pkt_...`. */
  async latest(environment: Environment, rows: readonly string[]): Promise<BooksProof[]> {
    const em = this.database.em();
    const newest = await Promise.all(
      AUDIT_SCOPES.map((scope) => em.fork().findOne(BooksAudit, { scope }, { orderBy: { id: 'desc' } })),
    );
    const known = newest.filter((audit) => audit !== null);
    return Promise.all(
      known.map(async (audit) => proofOf(audit, await shownRules(em.fork(), environment, audit.findings), rows)),
    );
  }

  /**
   * Returns what the last audits of the books say about the hash chain over the audit log; null before the first one. A chain
   * that one of them found broken is not repaired by a newer audit of new entries alone.
   */
  async actionChain(): Promise<ActionChainProof | null> {
    const em = this.database.em();
    const audits = await Promise.all(
      AUDIT_SCOPES.map((scope) => em.fork().findOne(BooksAudit, { scope }, { orderBy: { id: 'desc' } })),
    );
    const known = audits.flatMap((audit) => (audit === null ? [] : [audit]));
    const [newest] = known.toSorted((a, b) => b.finishedAt.getTime() - a.finishedAt.getTime());
    if (newest === undefined) return null;
    const findings = known.flatMap(({ findings: broken }) =>
      broken.filter(({ check }) => ACTION_RULES.includes(check)).flatMap(({ named }) => named),
    );
    return {
      checkedAt: newest.finishedAt,
      sealedTo: newest.auditSealedTo,
      findings: findings.map(({ row, says }) => `${row} ${says}`),
    };
  }
}

function proofOf({ scope, finishedAt }: BooksAudit, broken: readonly ShownRule[], rows: readonly string[]): BooksProof {
  return {
    scope,
    finishedAt,
    brokenRules: broken.map(({ check }) => check),
    about: broken.flatMap(({ named }) =>
      named.filter(({ row }) => rows.includes(row)).map(({ row, says }) => `${row} ${says}`),
    ),
  };
}
