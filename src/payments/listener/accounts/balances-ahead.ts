import type { AccountClient } from '../../../chains/accounts.js';
import type { AccountReader, BalanceReading } from './account-reader.js';
import type { RoundStep } from './account-round.js';
import type { WatchedFunds } from './watched-accounts.sql.js';

/** Longer than a step and the pause after it: older balances show that the listener was held up. */
const AGE_MAX_MS = 60_000;

/** Balances that a node is asked for before their step is due; null when it could not return them. */
interface Ahead {
  readonly client: AccountClient;
  readonly read: Promise<BalanceReading | null>;
}

/**
 * Reads the balances of the next step of a round while those of this step are compared and recorded, so that the node and the
 * database work at the same time. Balances are compared with the books as of their own block, whenever that is.
 */
export class BalancesAhead {
  private ahead: Ahead | null = null;

  constructor(
    private readonly reader: Pick<AccountReader, 'balancesOf'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Begins to read the balances of a step at `since` or later. */
  begin(client: AccountClient, step: Promise<RoundStep | null>, since: number): void {
    const read = step.then((found) => found && this.reader.balancesOf(client, found.accounts, since));
    // Balances that cannot be read are read again when they are due.
    this.ahead = { client, read: read.catch(() => null) };
  }

  /** Returns the balances of the accounts of a step: those that were read ahead from this node, or else read now. */
  async of(client: AccountClient, accounts: readonly WatchedFunds[], since: number): Promise<BalanceReading> {
    const { ahead } = this;
    this.ahead = null;
    const reading = ahead?.client === client ? await ahead.read : null;
    const isOfStep = reading?.accounts === accounts && this.nowMs() - reading.beganAtMs <= AGE_MAX_MS;
    return isOfStep ? reading : this.reader.balancesOf(client, accounts, since);
  }

  /** Waits for what is being read. */
  async settle(): Promise<void> {
    await this.ahead?.read;
  }
}
