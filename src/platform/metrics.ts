import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BooksMetrics } from './books-metrics.js';
import { DepositMetrics } from './deposit-metrics.js';
import { NodeMetrics } from './node-metrics.js';
import { PriceMetrics } from './price-metrics.js';
import { RequestLogMetrics } from './request-log-metrics.js';
import { TreasuryMetrics } from './treasury-metrics.js';

/** One answered HTTP request; `route` is the pattern, never the URL, so that the number of series stays bounded. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** The result of one attempt to deliver a webhook. */
export type DeliveryResult = 'delivered' | 'retrying' | 'dead_letter';

/** The distance of a listener to the head of its chain. */
export interface ChainLag {
  readonly blocks: number;
  readonly seconds: number;
}

class HttpMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'coffer_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    });
  }

  answered({ method, route, status, durationMs }: AnsweredRequest): void {
    this.duration.observe({ method, route, status }, durationMs / 1000);
  }
}

class DeliveryMetrics {
  private readonly attempts: Counter<'result'>;

  constructor(registry: Registry) {
    this.attempts = new Counter({
      name: 'coffer_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by result.',
      labelNames: ['result'],
      registers: [registry],
    });
  }

  attempted(result: DeliveryResult): void {
    this.attempts.inc({ result });
  }
}

class ChainMetrics {
  private readonly lagSeconds: Gauge<'chain'>;
  private readonly lagBlocks: Gauge<'chain'>;
  private readonly paused: Gauge<'chain'>;

  constructor(registry: Registry) {
    this.lagSeconds = new Gauge({
      name: 'coffer_listener_lag_seconds',
      help: "Age of the cursor's block beyond what the chain's block interval explains.",
      labelNames: ['chain'],
      registers: [registry],
    });
    this.lagBlocks = new Gauge({
      name: 'coffer_listener_lag_blocks',
      help: 'Blocks between the cursor and the head of the chain.',
      labelNames: ['chain'],
      registers: [registry],
    });
    this.paused = new Gauge({
      name: 'coffer_listener_paused',
      help: '1 while staff keep the listener from reading the chain, else 0.',
      labelNames: ['chain'],
      registers: [registry],
    });
  }

  /** Records a step of the listener of a chain, which is not paused. */
  lag(chain: string, { blocks, seconds }: ChainLag): void {
    this.paused.set({ chain }, 0);
    this.lagBlocks.set({ chain }, blocks);
    this.lagSeconds.set({ chain }, seconds);
  }

  /** Records that staff keep the listener of a chain from reading it. How far the chain is ahead is then not known. */
  listenerPaused(chain: string): void {
    this.paused.set({ chain }, 1);
    this.lagBlocks.remove({ chain });
    this.lagSeconds.remove({ chain });
  }

  /** Removes the state of a chain that this process no longer leads: it would be stale. */
  forget(chain: string): void {
    this.paused.remove({ chain });
    this.lagBlocks.remove({ chain });
    this.lagSeconds.remove({ chain });
  }
}

class IntentMetrics {
  private readonly dirty: Gauge;

  constructor(registry: Registry) {
    this.dirty = new Gauge({
      name: 'coffer_dirty_intents',
      help: 'Intents whose deposits changed and whose status is not recomputed yet.',
      registers: [registry],
    });
  }

  setDirty(count: number): void {
    this.dirty.set(count);
  }
}

class AddressPoolMetrics {
  private readonly free: Gauge<'environment' | 'family'>;
  private readonly disproved: Gauge;

  constructor(registry: Registry) {
    this.free = new Gauge({
      name: 'coffer_wallet_pool_free_addresses',
      help: 'Addresses that are free for new intents.',
      labelNames: ['environment', 'family'],
      registers: [registry],
    });
    this.disproved = new Gauge({
      name: 'coffer_wallet_pool_disproved_addresses',
      help: 'Stored addresses that differ from the ones that the vault derives.',
      registers: [registry],
    });
  }

  setFree(environment: string, family: string, count: number): void {
    this.free.set({ environment, family }, count);
  }

  setDisproved(count: number): void {
    this.disproved.set(count);
  }
}

class QueueMetrics {
  private readonly lostWakes: Counter<'queue'>;

  constructor(registry: Registry) {
    this.lostWakes = new Counter({
      name: 'coffer_queue_wake_errors_total',
      help: 'Wakes that the queue did not accept; a recurring job makes up for them.',
      labelNames: ['queue'],
      registers: [registry],
    });
  }

  wakesLost(queue: string, count: number): void {
    this.lostWakes.inc({ queue }, count);
  }
}

/** The metrics of this process in one registry, which `/metrics` prints. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly http = new HttpMetrics(this.registry);
  readonly requestLog = new RequestLogMetrics(this.registry);
  readonly deliveries = new DeliveryMetrics(this.registry);
  readonly chains = new ChainMetrics(this.registry);
  readonly nodes = new NodeMetrics(this.registry);
  readonly intents = new IntentMetrics(this.registry);
  readonly deposits = new DepositMetrics(this.registry);
  readonly addressPool = new AddressPoolMetrics(this.registry);
  readonly prices = new PriceMetrics(this.registry);
  readonly queue = new QueueMetrics(this.registry);
  readonly treasury = new TreasuryMetrics(this.registry);
  readonly books = new BooksMetrics(this.registry);

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}
