import type { Database } from '../../../platform/database/database.js';
import type { Pool } from '../../addresses/pool-addresses.sql.js';
import { accountsOfRound, type WatchedFunds } from './watched-accounts.sql.js';

/** The accounts of the next addresses of a round. */
export interface RoundStep {
  readonly accounts: readonly WatchedFunds[];
  /** The id below which the round continues; null = it is over. */
  readonly below: string | null;
}

/**
 * A round begins so long after the one before as this allows for each of its accounts, up to a limit: a small pool need not be
 * read again and again while nothing happens, and a round over a large one takes longer anyway.
 */
const MS_PER_ACCOUNT = 2;
const BETWEEN_ROUNDS_MAX_MS = 10_000;
const PAUSED: RoundStep = { accounts: [], below: null };

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
  /** When the round began, and how many accounts it has had (monotonic). */
  private beganAtMs = -Infinity;
  private accounts = 0;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    private readonly pool: Pool,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Returns the step after this id, and begins to read the one after that. Between two rounds a step is empty. */
  async next(below: string | null, limit: number): Promise<RoundStep> {
    const { ahead } = this;
    this.ahead = null;
    if (below === null && !this.begins()) return PAUSED;
    const isNext = ahead !== null && ahead.below === below && ahead.limit === limit;
    const step = (isNext ? await ahead.read : null) ?? (await this.read(below, limit));
    this.accounts += step.accounts.length;
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

  /** Returns whether a new round begins now. */
  private begins(): boolean {
    const now = this.nowMs();
    if (now - this.beganAtMs < Math.min(this.accounts * MS_PER_ACCOUNT, BETWEEN_ROUNDS_MAX_MS)) return false;
    this.beganAtMs = now;
    this.accounts = 0;
    return true;
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
