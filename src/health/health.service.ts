import { Inject, Injectable } from '@nestjs/common';
import { addressFamilyOf } from '../domain/network.js';
import {
  type ChainView,
  isAvailable,
  type NetworkStatus,
  NetworkViews,
  troubleOf,
} from '../offers/network-views.service.js';
import { isHeldByRule } from '../domain/outgoing-payment.js';
import { hasFreshPrices } from './fresh-prices.sql.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { QUEUE_BACKEND, type QueueBackend } from '../platform/queue/queue-backend.js';
import { type PriceState, PricingService } from '../pricing/pricing.service.js';
import { VaultState } from '../vault-status/vault-state.service.js';
import { type PoolLevel, AddressPool } from '../payments/addresses/address-pool.service.js';
import { PayoutHealthReader } from '../withdrawals/payouts/payout-health-reader.service.js';
import { type PayoutHealth, troublesOf } from '../withdrawals/payouts/payout-health.js';

const ANSWER_WITHIN_MS = 2_000;

/** The state of one dependency. */
export interface DependencyHealth {
  readonly status: 'ok' | 'down';
  readonly detail?: string;
}

/** The state of one chain, as the listener has recorded it. */
export interface ChainHealth {
  readonly chain: string;
  readonly status: NetworkStatus;
  /** Why the status is not `ok`. */
  readonly reason?: string;
  readonly lag_seconds: number;
  readonly lag_blocks: number;
  /** True while intents on this chain can get an address and their payments are watched. */
  readonly can_collect: boolean;
}

/** The prices of one environment. generate-address answers `price_unavailable` for a missing or old price. */
export interface PriceHealth {
  readonly environment: string;
  readonly status: 'ok' | 'partial' | 'unavailable';
  /** Age of the newest price snapshot; null when there is none yet. */
  readonly age_seconds: number | null;
  /** Tokens without a price. */
  readonly missing: readonly string[];
}

/** The state of withdrawals. While payments cannot go out, withdrawals are accepted and wait. */
export interface WithdrawalHealth {
  readonly status: 'ok' | 'degraded';
  /** `open` when any process has an open vault: without one nothing is signed. */
  readonly vault: 'open' | 'sealed';
  /** One sentence per problem, with its chain where it concerns one. */
  readonly reasons: readonly string[];
  /** Withdrawals that are not signed yet. */
  readonly waiting: number;
  /** Age of the oldest of them, except those that wait for an approval or a new-destination delay; null when none waits. */
  readonly oldest_waiting_seconds: number | null;
}

/**
 * Whether requests can be served, which depends on the database alone: sweeps replace a queue that is down, the pool has
 * addresses while the vault is sealed, and the other networks work while one is down.
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
  readonly prices: readonly PriceHealth[];
  readonly wallet_pool: readonly { readonly environment: string; readonly family: string; readonly free: number }[];
  /** Null while the database does not answer. */
  readonly withdrawals: WithdrawalHealth | null;
  /** True while at least one chain can collect: the others can collect while one is down. */
  readonly can_collect: boolean;
}

/** The facts that the database holds. */
type Facts = Pick<Readiness, 'chains' | 'prices' | 'wallet_pool' | 'withdrawals' | 'can_collect'>;

const NO_FACTS: Facts = { chains: [], prices: [], wallet_pool: [], withdrawals: null, can_collect: false };

const health = (isOk: boolean, detail: string): DependencyHealth =>
  isOk ? { status: 'ok' } : { status: 'down', detail };

/** Checks the dependencies of the service: one parameter for each of them and for each fact that it reports. */
@Injectable()
export class HealthService {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkViews,
    private readonly pool: AddressPool,
    private readonly vault: VaultState,
    @Inject(QUEUE_BACKEND) private readonly queue: QueueBackend,
    @Inject(CONFIG) private readonly config: Config,
    private readonly pricing: PricingService,
    private readonly payouts: PayoutHealthReader,
  ) {}

  /** Returns the readiness within 2 s, whatever state the dependencies are in. */
  async readiness(): Promise<Readiness> {
    const [facts, queueAnswers] = await Promise.all([
      inTime(this.readFacts()),
      inTime(this.queue.ping().then(() => true)),
    ]);
    return {
      status: facts === null ? 'not_ready' : 'ready',
      dependencies: {
        database: health(facts !== null, 'The database does not answer.'),
        queue: health(queueAnswers === true, 'The job queue does not answer: work waits for the next sweep.'),
        ...(this.config.roles.has('vault') && {
          vault: health(this.vault.isOpen, 'The vault is sealed: no new addresses are derived, and withdrawals wait.'),
        }),
      },
      ...(facts ?? NO_FACTS),
    };
  }

  private async readFacts(): Promise<Facts> {
    const views = await this.networks.all();
    const levels = await this.pool.levels();
    const [prices] = await this.database.rows(hasFreshPrices);
    const chains = views.map((view) => chainHealth(view, levels, prices?.isFresh === true));
    const states = await this.pricing.states();
    return {
      chains,
      prices: states.map(priceHealth),
      wallet_pool: levels,
      withdrawals: withdrawalHealth(await this.payouts.state()),
      can_collect: chains.some((chain) => chain.can_collect),
    };
  }
}

function chainHealth(view: ChainView, levels: readonly PoolLevel[], isPriced: boolean): ChainHealth {
  const trouble = troubleOf(view);
  const hasAddress = levels.some(
    ({ environment, family, free }) =>
      environment === view.environment && family === addressFamilyOf(view.network) && free > 0,
  );
  return {
    chain: view.chainRef,
    status: trouble?.status ?? 'ok',
    ...(trouble !== null && { reason: trouble.reason }),
    lag_seconds: Math.round(view.lagMs / 100) / 10,
    lag_blocks: Math.max(0, view.headHeight - view.height),
    can_collect: isAvailable(view) && hasAddress && isPriced,
  };
}

function priceHealth({ environment, ageSeconds, isFresh, prices }: PriceState): PriceHealth {
  const missing = [...prices].flatMap(([token, price]) => (price === null ? [token] : []));
  const isComplete = missing.length === 0 ? 'ok' : 'partial';
  return {
    environment,
    status: isFresh && missing.length < prices.size ? isComplete : 'unavailable',
    age_seconds: ageSeconds === null ? null : Math.round(ageSeconds * 10) / 10,
    missing,
  };
}

function withdrawalHealth(state: PayoutHealth): WithdrawalHealth {
  const waiting = state.standings.filter(({ standing }) => standing !== 'not_sent' && standing !== 'not_final');
  const unheld = waiting.filter(({ standing }) => !isHeldByRule(standing));
  const reasons = troublesOf(state).map(({ chainRef, sentence }) =>
    chainRef === null ? sentence : `${chainRef}: ${sentence}`,
  );
  return {
    status: reasons.length === 0 ? 'ok' : 'degraded',
    vault: state.vault.isOpen ? 'open' : 'sealed',
    reasons,
    waiting: waiting.reduce((sum, { count }) => sum + count, 0),
    oldest_waiting_seconds: unheld.length === 0 ? null : Math.max(...unheld.map(({ oldestSeconds }) => oldestSeconds)),
  };
}

/** Returns the result of `work`, or null when it fails or takes longer than a monitor waits. */
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
