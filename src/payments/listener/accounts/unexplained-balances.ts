import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.js';
import type { Excess } from './history-search.js';
import type { AccountRecorder } from './account-recorder.js';
import { findUnexplained } from './unexplained-balances.sql.js';

/** The history of a node may lag behind its balances by a moment. */
const REPORTED_AFTER_MS = 60_000;
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 60_000;

interface Open {
  readonly units: bigint;
  readonly sinceMs: number;
  /** When it was found last. */
  readonly foundAtMs: number;
  readonly dueAtMs: number;
  readonly isReported: boolean;
}

/** Accounts that were read, and since when (monotonic). */
interface AccountsRead {
  readonly accounts: readonly { readonly account: string }[];
  readonly beganAtMs: number;
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
    private readonly recorder: Pick<AccountRecorder, 'keepUnexplained'>,
    private readonly chain: { readonly chainRef: string; readonly logger: Logger },
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

  /** Marks accounts whose recorded deposits changed: their balance is unexplained until it is read again. */
  suspect(accounts: readonly string[]): void {
    const now = this.nowMs();
    for (const account of accounts) this.open?.set(account, { ...newlyOpen(1n, now), dueAtMs: now });
  }

  /**
   * Remembers what stays unexplained of the accounts that were read, and forgets the others of them, unless they were found
   * after that reading began.
   * @param excesses of these accounts, after the `tried` ones were asked about
   */
  async keep(read: AccountsRead, excesses: readonly Excess[], tried: readonly Excess[]): Promise<void> {
    const open = (this.open ??= await this.load());
    const explained = explainedBy(read, open, excesses);
    const changed = excesses.filter(({ account, units }) => open.get(account)?.units !== units);
    await this.recorder.keepUnexplained(changed, explained);
    const now = this.nowMs();
    const wasTried = new Set(tried.map(({ account }) => account));
    for (const account of explained) open.delete(account);
    for (const excess of excesses) {
      const known = open.get(excess.account);
      if (known?.units !== excess.units) open.set(excess.account, newlyOpen(excess.units, now));
      else if (wasTried.has(excess.account)) open.set(excess.account, this.triedAgain(excess, known, now));
      else open.set(excess.account, { ...known, foundAtMs: now });
    }
  }

  /** Balances of before are asked about at once: the reason may be gone. Every reading began after they were found. */
  private async load(): Promise<Map<string, Open>> {
    const now = this.nowMs();
    const stored = await this.database.rows(findUnexplained(this.chain.chainRef));
    const known = { foundAtMs: -Infinity, dueAtMs: now };
    return new Map(stored.map(({ account, units }) => [account, { ...newlyOpen(BigInt(units), now), ...known }]));
  }

  private triedAgain({ account, units }: Excess, known: Open, now: number): Open {
    const { chainRef, logger } = this.chain;
    const waitedMs = now - known.sinceMs;
    const isDue = waitedMs > REPORTED_AFTER_MS;
    if (isDue && !known.isReported) {
      const detail = { chainRef, account, units: String(units) };
      logger.error(detail, 'No transaction explains the balance of an account: nothing of it is credited.');
    }
    const pauseMs = Math.min(Math.max(waitedMs, RETRY_MIN_MS), RETRY_MAX_MS);
    return { ...known, foundAtMs: now, dueAtMs: now + pauseMs, isReported: known.isReported || isDue };
  }
}

const newlyOpen = (units: bigint, now: number): Open => {
  return { units, sinceMs: now, foundAtMs: now, dueAtMs: now + RETRY_MIN_MS, isReported: false };
};

/** Returns the open accounts of a reading that have no excess any more. */
function explainedBy(
  { accounts, beganAtMs }: AccountsRead,
  open: ReadonlyMap<string, Open>,
  excesses: readonly Excess[],
): readonly string[] {
  // A look-up hashes the text of an account, of which a reading has thousands.
  if (open.size === 0) return [];
  const stays = new Set(excesses.map(({ account }) => account));
  return accounts.flatMap(({ account }) => {
    const known = open.get(account);
    return known !== undefined && known.foundAtMs <= beganAtMs && !stays.has(account) ? [account] : [];
  });
}
