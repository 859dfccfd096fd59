import { Gauge, type Registry } from 'prom-client';

/** What the last audits of the books said. */
export class BooksMetrics {
  private readonly clean: Gauge<'scope'>;
  private readonly auditedAt: Gauge<'scope'>;
  private readonly sealedTo: Gauge;

  constructor(registry: Registry) {
    this.clean = new Gauge({
      name: 'coffer_books_clean',
      help: '1 when the last audit of this scope found every rule of the books kept, else 0.',
      labelNames: ['scope'],
      registers: [registry],
    });
    this.auditedAt = new Gauge({
      name: 'coffer_books_audited_timestamp_seconds',
      help: 'When the last audit of this scope ended.',
      labelNames: ['scope'],
      registers: [registry],
    });
    this.sealedTo = new Gauge({
      name: 'coffer_books_sealed_entries',
      help: 'Entries up to which the hash chain was found good.',
      registers: [registry],
    });
  }

  /** Sets what an audit of a scope came to. */
  audited(scope: string, { sealedTo, isClean }: { sealedTo: number; isClean: boolean }): void {
    this.clean.set({ scope }, isClean ? 1 : 0);
    this.auditedAt.setToCurrentTime({ scope });
    this.sealedTo.set(sealedTo);
  }
}
