import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { freezeWallet, freezeWallets } from '../treasury/wallets/wallet-freeze.js';
import { brokenOf, type NewFinding, newFindingsOf } from './audit-findings.js';
import { type AuditScope, BooksAudit } from './books-audit.entity.js';
import { deleteCleanAudits, isFullAuditDue, newestAudits, newestFindings } from './books-audits.sql.js';
import { checkedRule, verifyBooks } from './books-verification.js';
import type { BrokenRule } from './check.js';
import { type FindingPlace, placeOf } from './finding-place.js';
import { SIMULATED_FIRST } from './checks/refusal-checks.sql.js';
import { NO_SEAL } from './checks/chain-walk.js';
import { lossesOf, lostSeals, type SealHeads, walkChains } from './seal-chains.js';
import { inSnapshot } from './snapshot.js';

/** Interval of full audits, and the interval after a full audit that found something. */
const EVERYTHING_EVERY = '24 hours';
const EVERYTHING_AGAIN = '1 hour';
const KEPT_FOR = '30 days';

interface AuditResult {
  readonly scope: AuditScope;
  readonly startedAt: Date;
  /** The last good seals. */
  readonly heads: SealHeads;
  readonly broken: readonly BrokenRule[];
}

/**
 * Audits the books and the audit log: new entries each minute, everything each day. It records findings, logs them as fatal and sets metrics.
 * It freezes the hot wallets that a new finding concerns until staff unfreeze them, unless the rule is only reported
 * (`SIMULATED_FIRST`).
 */
@Injectable()
export class BooksAuditor {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs the audit that is due, ignoring audits dated in the future. One process at a time should call it. */
  @RecurringJob({ role: 'worker', every: 60_000, leader: 'scheduler' })
  async auditDue(): Promise<void> {
    const [due] = await this.database.rows(isFullAuditDue(EVERYTHING_EVERY, EVERYTHING_AGAIN));
    if (due?.isDue !== true) return this.record(await this.auditNewEntries());
    try {
      await this.record(await this.auditEverything());
    } catch (error) {
      // The next call tries it again. Its failure must not leave new entries without an audit.
      await this.record(await this.auditNewEntries());
      throw error;
    }
  }

  /** Sets the metrics from the audits of all processes. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    for (const { scope, isClean, ...audit } of await this.database.rows(newestAudits)) {
      const [sealedTo, auditSealedTo] = [Number(audit.sealedTo), Number(audit.auditSealedTo)];
      this.metrics.books.setAudit(scope, { sealedTo, auditSealedTo, isClean, finishedAt: Number(audit.finishedAt) });
    }
  }

  /** Deletes old audits of new entries without findings: there is one each minute. */
  @RecurringJob({ role: 'worker', every: 600_000, leader: 'scheduler' })
  async prune(): Promise<void> {
    await this.database.rows(deleteCleanAudits(KEPT_FOR));
  }

  private async auditEverything(): Promise<AuditResult> {
    const startedAt = new Date();
    const last = await this.lastGood();
    const { rules, heads } = await verifyBooks(this.runtime.databaseUrl);
    // A hash chain that was rebuilt from its beginning is valid, but does not contain the last good seal.
    const lost = lossesOf(await lostSeals(this.database, last));
    const kept = lost.map(({ chain, breaches }) => checkedRule(chain, breaches));
    return { scope: 'everything', startedAt, heads, broken: brokenOf([...kept, ...rules]) };
  }

  private async auditNewEntries(): Promise<AuditResult> {
    const startedAt = new Date();
    const from = await this.lastGood();
    const lost = lossesOf(await lostSeals(this.database, from));
    const { found, heads } = await inSnapshot(this.runtime.databaseUrl, (tx) => walkChains(tx, from));
    const broken = brokenOf([...lost, ...found].map(({ chain, breaches }) => checkedRule(chain, breaches)));
    const isWhole = lost.every(({ breaches }) => breaches === null);
    return { scope: 'new_entries', startedAt, heads: isWhole ? heads : from, broken };
  }

  /** Returns the newest seals up to which an audit found nothing, as they were then. */
  private async lastGood(): Promise<SealHeads> {
    const [entries, actions] = await Promise.all([this.lastBy('sealedTo'), this.lastBy('auditSealedTo')]);
    return {
      entries: entries === null ? NO_SEAL : { sequence: entries.sealedTo, hash: entries.sealHash },
      actions: actions === null ? NO_SEAL : { sequence: actions.auditSealedTo, hash: actions.auditSealHash },
    };
  }

  private lastBy(sequence: 'sealedTo' | 'auditSealedTo'): Promise<BooksAudit | null> {
    const orderBy = [{ [sequence]: 'desc' as const }, { id: 'desc' as const }];
    return this.database.em().findOne(BooksAudit, { findingRow: null }, { orderBy });
  }

  private async record(result: AuditResult): Promise<void> {
    const news = await this.database.transaction(async (tx) => {
      // Known findings do not freeze again: staff may have unfrozen the wallets.
      const found = newFindingsOf(result.broken, await knownFindings(tx));
      keep(tx, result);
      await freezeFor(tx, found.filter(freezes));
      return found;
    });
    const { scope, heads, broken } = result;
    // Logs are outside of the database, so this line proves what is sealed up to the heads against later changes.
    const sealed = { scope, ...loggedHeads(heads) };
    const kept = scope === 'everything' ? 'The ledger audit passed.' : 'The ledger audit of new entries passed.';
    if (broken.length === 0) this.logger.info(sealed, kept);
    for (const { check, count, named } of broken) {
      const isNew = news.find((each) => each.check === check);
      const { row, says } = isNew ?? named.at(0) ?? {};
      const detail = { ...sealed, rule: check, row, says, count, froze: isNew !== undefined && freezes(isNew) };
      this.logger.fatal(detail, 'The ledger audit found broken rules.');
    }
  }
}

/** Returns whether a finding stops signing, or is only reported. */
const freezes = ({ check }: NewFinding): boolean => check !== SIMULATED_FIRST;

const loggedHeads = ({ entries, actions }: SealHeads) => ({
  sealed_to: entries.sequence,
  seal: entries.hash,
  audit_sealed_to: actions.sequence,
  audit_seal: actions.hash,
});

function keep(tx: Tx, { scope, startedAt, heads, broken }: AuditResult): void {
  const [rule] = broken;
  const first = rule?.named.at(0);
  tx.create(BooksAudit, {
    scope,
    sealedTo: heads.entries.sequence,
    sealHash: heads.entries.hash,
    auditSealedTo: heads.actions.sequence,
    auditSealHash: heads.actions.hash,
    findingCheck: rule?.check ?? null,
    findingRow: first?.row ?? null,
    findingSays: first?.says ?? null,
    findings: broken,
    startedAt,
  });
}

/** Returns the findings of the latest audit of each scope. */
async function knownFindings(tx: Tx): Promise<readonly BrokenRule[]> {
  const audits = await rows(tx, newestFindings);
  return audits.flatMap(({ findings }) => findings);
}

/** Freezes the hot wallets where something was found, with the first finding as the reason. */
async function freezeFor(tx: Tx, news: readonly NewFinding[]): Promise<void> {
  const placed: { readonly finding: NewFinding; readonly place: FindingPlace }[] = [];
  for (const finding of news) placed.push({ finding, place: await placeOf(tx, finding) });
  for (const [first, ...further] of Map.groupBy(placed, ({ place }) => Object.values(place).join()).values()) {
    if (first === undefined) continue;
    const { finding, place } = first;
    const more = further.length > 0 ? ` (and ${further.length} more)` : '';
    const reason = `The books do not hold: ${finding.check}, ${finding.row}${more}.`;
    if (place.chainRef === null) await freezeWallets(tx, place.environment, reason);
    else await freezeWallet(tx, place.chainRef, reason);
  }
}
