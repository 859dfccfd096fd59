import type { Database } from '../../../platform/database/database.js';
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
  readonly read: Promise<RoundStep | null>;
}

/**
 * Reads the accounts of all addresses of a pool from the database, some in each step. While the chain is asked about the
 * accounts of one step, those of the next one are read. What is ahead is as old as a step: an address that is swept meanwhile is
 * looked at again in the next round.
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
    const isNext = ahead !== null && ahead.below === below && ahead.limit === limit;
    const step = (isNext ? await ahead.read : null) ?? (await this.read(below, limit));
    if (step.below !== null) {
      // One that cannot be read is read again when it is due.
      this.ahead = { below: step.below, limit, read: this.read(step.below, limit).catch(() => null) };
    }
    return step;
  }

  /** Returns the step after the one that was returned last; null when there is none, or it cannot be read. */
  async following(): Promise<RoundStep | null> {
    return (await this.ahead?.read) ?? null;
  }

  /** Waits for what is being read. */
  async settle(): Promise<void> {
    await this.ahead?.read;
  }

  private async read(below: string | null, limit: number): Promise<RoundStep> {
    const [found] = await this.database.rows(accountsOfRound(this.chainRef, this.pool, { below, limit }));
    if (found === undefined) throw new Error('A sum has one row.');
    const [accounts, tokens, addressIds] = [found.accounts, found.tokens, found.addressIds].map(
      (column) => column?.split(',') ?? [],
    );
    return {
      accounts: (accounts ?? []).map((account, place) => ({
        account,
        token: tokens?.[place] ?? '',
        addressId: addressIds?.[place] ?? '',
        hasSweeps: found.hasSweeps?.[place] === 't',
      })),
      below: found.addresses < limit ? null : found.last,
    };
  }
}
