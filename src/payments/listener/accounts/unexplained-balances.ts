import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.js';
import type { Excess } from './account-reader.js';
import { deleteExplained, findUnexplained, upsertUnexplained } from './unexplained-balances.sql.js';

/** The history of a node may lag behind its balances by a moment. */
const REPORTED_AFTER_MS = 60_000;
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 60_000;

interface Open {
  readonly units: bigint;
  readonly sinceMs: number;
  readonly dueAtMs: number;
  readonly isReported: boolean;
}

/**
 * Keeps the balances that no transaction explains. They are asked about again, ever more rarely unless they change, and
 * reported once when they stay unexplained for a minute. They are stored, because an intent must not expire while its
 * account holds funds that may be its payment.
 */
export class UnexplainedBalances {
  private open: Map<string, Open> | null = null;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly logger: Logger,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Returns the excesses to be explained now. */
  due(excesses: readonly Excess[]): readonly Excess[] {
    const now = this.nowMs();
    return excesses.filter(({ account, units }) => {
      const known = this.open?.get(account);
      return known?.units !== units || known.dueAtMs <= now;
    });
  }

  /**
   * Remembers what stays unexplained of the accounts that were read, and forgets the others of them.
   * @param excesses of these accounts, after those that were due were tried
   */
  async keep(read: readonly { readonly account: string }[], excesses: readonly Excess[]): Promise<void> {
    const open = (this.open ??= await this.load());
    const now = this.nowMs();
    const stays = new Set(excesses.map(({ account }) => account));
    const explained = read.map(({ account }) => account).filter((account) => open.has(account) && !stays.has(account));
    const changed = excesses.filter(({ account, units }) => open.get(account)?.units !== units);
    if (changed.length > 0) await this.database.rows(upsertUnexplained(this.chainRef, changed));
    if (explained.length > 0) await this.database.rows(deleteExplained(this.chainRef, explained));
    for (const account of explained) open.delete(account);
    for (const excess of excesses) open.set(excess.account, this.next(excess, open.get(excess.account), now));
  }

  /** Balances of before are asked about at once: the reason may be gone. */
  private async load(): Promise<Map<string, Open>> {
    const now = this.nowMs();
    const stored = await this.database.rows(findUnexplained(this.chainRef));
    return new Map(
      stored.map(({ account, units }) => [
        account,
        { units: BigInt(units), sinceMs: now, dueAtMs: now, isReported: false },
      ]),
    );
  }

  private next({ account, units }: Excess, known: Open | undefined, now: number): Open {
    if (known?.units !== units) return { units, sinceMs: now, dueAtMs: now + RETRY_MIN_MS, isReported: false };
    if (known.dueAtMs > now) return known;
    const waitedMs = now - known.sinceMs;
    const isDue = waitedMs > REPORTED_AFTER_MS;
    if (isDue && !known.isReported) {
      const detail = { chainRef: this.chainRef, account, units: String(units) };
      this.logger.error(detail, 'No transaction explains the balance of an account: nothing of it is credited.');
    }
    const pauseMs = Math.min(Math.max(waitedMs, RETRY_MIN_MS), RETRY_MAX_MS);
    return { ...known, dueAtMs: now + pauseMs, isReported: known.isReported || isDue };
  }
}
