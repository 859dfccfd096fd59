import { Inject, Injectable } from '@nestjs/common';
import { type NetworkStatus, NetworkViews, statusOf } from '../networks/network-views.service.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { QUEUE_BACKEND, type QueueBackend } from '../platform/queue/queue-backend.js';
import { VaultState } from '../wallets/vault-state.service.js';
import { WalletPool } from '../wallets/wallet-pool.service.js';

const ANSWER_WITHIN_MS = 2_000;

/** How one thing the service depends on fares. */
export interface DependencyHealth {
  readonly status: 'ok' | 'down';
  readonly detail?: string;
}

/** One chain, as far as the listener has come. */
export interface ChainHealth {
  readonly chain: string;
  readonly status: NetworkStatus;
  readonly lag_seconds: number;
  readonly lag_blocks: number;
}

/**
 * Whether requests can be served, which is a matter of the database alone: sweeps make up for a queue that is away,
 * addresses derived before outlast a sealed vault, and one of five networks down is no reason to stop.
 */
export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly dependencies: {
    readonly database: DependencyHealth;
    readonly queue: DependencyHealth;
    /** Only in a process with the vault role. */
    readonly vault?: DependencyHealth;
  };
  readonly chains: readonly ChainHealth[];
  readonly wallet_pool: readonly { readonly environment: string; readonly family: string; readonly free: number }[];
  /** True once an intent can be created, addressed and watched on every network: what a first run waits for. */
  readonly can_collect: boolean;
}

/** What the database tells, while it answers. */
type Facts = Pick<Readiness, 'chains' | 'wallet_pool' | 'can_collect'>;

const NO_FACTS: Facts = { chains: [], wallet_pool: [], can_collect: false };

const health = (isOk: boolean, detail: string): DependencyHealth =>
  isOk ? { status: 'ok' } : { status: 'down', detail };

/** Looks at what the service needs. */
@Injectable()
export class HealthService {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkViews,
    private readonly pool: WalletPool,
    private readonly vault: VaultState,
    @Inject(QUEUE_BACKEND) private readonly queue: QueueBackend,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Answers within 2 s, whatever state the dependencies are in. */
  async readiness(): Promise<Readiness> {
    const [facts, queueAnswers] = await Promise.all([inTime(this.look()), inTime(this.queue.ping().then(() => true))]);
    return {
      status: facts === null ? 'not_ready' : 'ready',
      dependencies: {
        database: health(facts !== null, 'The database does not answer.'),
        queue: health(queueAnswers === true, 'The job queue does not answer: work waits for the next sweep.'),
        ...(this.config.roles.has('vault') && {
          vault: health(this.vault.isOpen, 'The vault is sealed: no new addresses are derived.'),
        }),
      },
      ...(facts ?? NO_FACTS),
    };
  }

  private async look(): Promise<Facts> {
    const views = await this.networks.all();
    const levels = await this.pool.levels();
    const [prices] = await this.database.query<{ fresh: boolean }>(
      `select exists (select from price_round where created_at > now() - interval '60 seconds') as fresh`,
    );
    const watched = views.length > 0 && views.every((view) => statusOf(view) === 'ok');
    const collecting = watched && levels.some((level) => level.free > 0);
    return {
      chains: views.map((view) => ({
        chain: view.chainRef,
        status: statusOf(view),
        lag_seconds: Math.round(view.lagMs / 100) / 10,
        lag_blocks: Math.max(0, view.headHeight - view.height),
      })),
      wallet_pool: levels,
      can_collect: collecting && prices?.fresh === true,
    };
  }
}

/** What `work` gives, or null when it fails or takes longer than a monitor waits. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([work, timeUp]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
