import { Gauge, type Registry } from 'prom-client';

/** Results of the last audits of the ledger. */
export class BooksMetrics {
  private readonly clean: Gauge<'scope'>;
  private readonly auditedAt: Gauge<'scope'>;
  private readonly sealedTo: Gauge<'scope'>;
  private readonly auditSealedTo: Gauge<'scope'>;

  constructor(registry: Registry) {
    this.clean = new Gauge({
      name: 'coffer_books_clean',
      help: '1 when the last audit of this scope found no violation in the ledger, else 0.',
      labelNames: ['scope'],
      registers: [registry],
    });
    this.auditedAt = new Gauge({
      name: 'coffer_books_audited_timestamp_seconds',
      help: 'Time at which the last audit of this scope ended.',
      labelNames: ['scope'],
      registers: [registry],
    });
    this.sealedTo = new Gauge({
      name: 'coffer_books_sealed_entries',
      help: 'Entries up to which the last audit of this scope found the hash chain intact.',
      labelNames: ['scope'],
      registers: [registry],
    });
    this.auditSealedTo = new Gauge({
      name: 'coffer_books_sealed_actions',
      help: 'Actions in the audit log up to which the last audit of this scope found its hash chain intact.',
      labelNames: ['scope'],
      registers: [registry],
    });
  }

  /** Sets the result of the last audit of a scope; `finishedAt` in seconds since 1970. */
  setAudit(
    scope: string,
    audit: { sealedTo: number; auditSealedTo: number; isClean: boolean; finishedAt: number },
  ): void {
    this.clean.set({ scope }, audit.isClean ? 1 : 0);
    this.auditedAt.set({ scope }, audit.finishedAt);
    this.sealedTo.set({ scope }, audit.sealedTo);
    this.auditSealedTo.set({ scope }, audit.auditSealedTo);
  }
}
