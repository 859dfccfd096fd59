import type { BooksState } from '../../auditor/books-states.service.js';
import { ruleNamed } from '../../auditor/books-verification.js';
import type { Environment } from '../../domain/network.js';
import { presentTime } from '../amount.js';
import type { BooksObject } from './books.schema.js';

/** The last audits and the heads of the hash chains, as an environment sees them. */
export function presentBooks({ audits, entries, actions }: BooksState, environment: Environment): BooksObject {
  const option = (name: string, head: BooksState['entries']): string =>
    head === null ? '' : ` ${name} ${head.sequence}:${head.hash}`;
  return {
    object: 'books',
    audits: audits.map(({ audit: { id, scope, startedAt, finishedAt, sealedTo, auditSealedTo }, broken }) => ({
      id: String(id),
      scope,
      started_at: presentTime(startedAt),
      finished_at: presentTime(finishedAt),
      sealed_to: sealedTo,
      audit_sealed_to: auditSealedTo,
      broken_rules: broken.map(({ check, named, hasUnnamed }) => ({
        name: check,
        rule: ruleNamed(check),
        has_unnamed_rows: hasUnnamed,
        rows: named.map(({ row, says }) => `${row} ${says}`),
      })),
    })),
    entries_head: entries,
    audit_log_head: actions,
    commands: [
      `npx coffer verify${option('--head', entries)}${option('--audit-head', actions)}`,
      ...(audits.some(({ broken }) => broken.length > 0)
        ? [`npx coffer withdrawals unfreeze --network <NETWORK> --env ${environment} --reason "<why>"`]
        : []),
    ],
  };
}
