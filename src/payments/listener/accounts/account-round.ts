import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Pool } from '../../addresses/pool-addresses.sql.js';
import { accountsOfRound, type WatchedFunds } from './watched-accounts.sql.js';

/** The accounts of the next addresses of a round. */
export interface RoundStep {
  readonly accounts: readonly WatchedFunds[];
  /** The id below which the round continues; null = it is over. */
  readonly below: string | null;
}

/** A step that is read from the database before it is due. */
interface StepAhead {
  readonly below: string;
  readonly limit: number;
  /** Null when it cannot be read: it is read again when it is due. */
  readonly read: Promise<RoundStep | null>;
  /** The step after it, once that is read too. */
  after: Promise<StepAhead | null> | null;
}

/**
 * Reads the accounts of all addresses of a pool from the database, some in each step. While the chain is asked about the
 * accounts of one step, those of the next ones are read. What is ahead is as old as two steps: an address that is swept meanwhile
 * is looked at again in the next round.
 */
export class AccountRound {
  private ahead: StepAhead | null = null;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly pool: Pool,
  ) {}

  /** Returns the step after this id, and begins to read the one after that. */
  async next(below: string | null, limit: number): Promise<RoundStep> {
    const { ahead } = this;
    this.ahead = null;
    const due = ahead?.below === below && ahead.limit === limit ? ahead : null;
    const known = (await due?.read) ?? null;
    const step = known ?? (await this.read(below, limit));
    this.ahead = (known && (await due?.after)) ?? this.begin(step, limit);
    return step;
  }

  /**
   * Returns the step after the one that was returned last, and begins to read the one after it; null when there is none, or it
   * cannot be read.
   */
  async following(): Promise<RoundStep | null> {
    const { ahead } = this;
    if (ahead === null) return null;
    ahead.after ??= ahead.read.then((step) => step && this.begin(step, ahead.limit));
    return ahead.read;
  }

  /** Waits for what is being read. */
  async settle(): Promise<void> {
    const after = await this.ahead?.after;
    await Promise.all([this.ahead?.read, after?.read]);
  }

  private begin({ below }: RoundStep, limit: number): StepAhead | null {
    if (below === null) return null;
    return { below, limit, read: this.read(below, limit).catch(() => null), after: null };
  }

  private async read(below: string | null, limit: number): Promise<RoundStep> {
    const found = await this.database.rows(accountsOfRound(this.chainRef, this.pool, { below, limit }));
    const [step] = found;
    if (step === undefined) throw new Error('A sum has one row.');
    const swept = new Set(listIn(step.swept));
    return {
      accounts: found.flatMap((ofToken) => accountsIn(ofToken, swept)),
      below: step.addresses < limit ? null : step.last,
    };
  }
}

const listIn = (column: string | null): readonly string[] => column?.split(',') ?? [];

/** Returns the accounts of one token. */
function accountsIn(
  { token, accounts, addressIds }: RowOf<typeof accountsOfRound>,
  swept: ReadonlySet<string>,
): readonly WatchedFunds[] {
  const ids = listIn(addressIds);
  // A look-up hashes the text of an id, of which a step has thousands.
  const isSwept = swept.size === 0 ? () => false : (id: string) => swept.has(id);
  return listIn(accounts).map((account, place) => {
    const addressId = ids[place] ?? '';
    return { account, token: token ?? '', addressId, hasSweeps: isSwept(addressId) };
  });
}
