import type { Logger } from 'pino';
import { withTimeout } from '../platform/with-timeout.js';
import type { TreasuryChain, TreasuryChains } from './treasury-chains.service.js';

/** So long a round waits for its slowest chain; what takes longer goes on beside the next rounds. */
const PATIENCE_MS = 2_000;

/**
 * A recurring duty on many chains, done on all of them side by side and on each only once at a time. A chain that fails
 * or hangs holds up no other; its failures are told once, until it succeeds again.
 */
export class ChainJob {
  private readonly underway = new Set<string>();
  private readonly failing = new Set<string>();

  constructor(
    private readonly name: string,
    private readonly chains: TreasuryChains,
    private readonly logger: Logger,
  ) {}

  /** Does the work on every chain of `due` that this process reaches. Never throws what one chain's work throws. */
  async run<T>(due: ReadonlyMap<string, T>, work: (chain: TreasuryChain, what: T) => Promise<void>): Promise<void> {
    if (due.size === 0) return;
    const started: Promise<void>[] = [];
    for (const chain of await this.chains.active()) {
      const what = due.get(chain.chainRef);
      if (what === undefined || this.underway.has(chain.chainRef)) continue;
      this.underway.add(chain.chainRef);
      started.push(this.one(chain.chainRef, () => work(chain, what)));
    }
    await withTimeout(Promise.all(started), PATIENCE_MS);
  }

  private async one(chainRef: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (this.failing.delete(chainRef)) this.logger.info({ chainRef, duty: this.name }, 'a chain is well again');
    } catch (error) {
      if (this.failing.has(chainRef) || this.chains.isClosing) return;
      this.failing.add(chainRef);
      this.logger.warn({ chainRef, duty: this.name, err: error }, 'a duty fails on a chain');
    } finally {
      this.underway.delete(chainRef);
    }
  }
}
