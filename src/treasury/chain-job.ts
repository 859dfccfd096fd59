import type { Logger } from 'pino';
import { withTimeout } from '../platform/with-timeout.js';

/** The chains that a job works on, as far as this process reaches them. */
export interface ReachedChains<Chain> {
  active(): Promise<readonly Chain[]>;
  /** True once shutdown began: node errors are then caused by our own disconnect. */
  readonly isClosing: boolean;
}

/** How long a run waits for its slowest chain. Slower work continues beside the next runs. */
const PATIENCE_MS = 2_000;

/**
 * A recurring job on many chains. It works on all chains in parallel and on each chain once at a time. A chain that
 * fails or hangs delays no other chain. Its first failure is logged, then nothing until it succeeds again.
 */
export class ChainJob<Chain extends { readonly chainRef: string }> {
  private readonly underway = new Set<string>();
  private readonly failing = new Set<string>();

  constructor(
    private readonly name: string,
    private readonly chains: ReachedChains<Chain>,
    private readonly logger: Logger,
  ) {}

  /** Runs `work` on every chain of `due` that this process reaches. Never throws an error of one chain's work. */
  async run<T>(due: ReadonlyMap<string, T>, work: (chain: Chain, what: T) => Promise<void>): Promise<void> {
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
      if (this.failing.delete(chainRef))
        this.logger.info({ chainRef, job: this.name }, 'A recurring job works again on the chain.');
    } catch (error) {
      if (this.failing.has(chainRef) || this.chains.isClosing) return;
      this.failing.add(chainRef);
      this.logger.warn({ chainRef, job: this.name, err: error }, 'A recurring job failed on the chain.');
    } finally {
      this.underway.delete(chainRef);
    }
  }
}
