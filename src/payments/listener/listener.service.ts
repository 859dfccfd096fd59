import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type BlockHeader, type ChainIdentity, ChainUnavailable, type NodeClient } from '../../chains/chain.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { ForeignNode, type NodeReport } from '../../chains/nodes/node-health.js';
import { type ServedChain, ChainRegistry } from '../../chains/registry.js';
import { verifyTokens } from '../../chains/token-check.js';
import { settlementJobs } from '../intents/settlement-jobs.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import {
  ChainRegistrationService,
  ForeignChain,
  type RegisteredChain,
} from '../../offers/chain-registration.service.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { type HeldLease, LeaseKeeper } from '../../platform/leases.js';
import { LOGGER } from '../../platform/logging.js';
import { type ChainLag, Metrics } from '../../platform/metrics.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { RUNTIME, type Runtime } from '../../platform/runtime.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { AccountListener } from './accounts/account-listener.js';
import { ChainListener } from './chain-listener.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import type { Listener } from './listener-options.js';
import { nodeLog } from './node-log.js';
import { WatchedAddresses } from './watched-addresses.js';

const CONNECT_RETRY_MS = 2_000;
const TICK_ENDS_WITHIN_MS = 3_000;

/**
 * Runs one listener per chain, on the process that leads that chain. It has ten parameters because it
 * registers each chain and then builds its `ChainListener`, which lives no longer than the lease and so is no provider.
 */
@Injectable()
export class ListenerService {
  private readonly registry: ChainRegistry;
  private readonly listeners = new Map<string, Listener>();
  private readonly watched = new Map<string, WatchedAddresses>();
  private readonly connecting: Promise<void>[] = [];
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly recorder: DepositRecorder,
    private readonly registration: ChainRegistrationService,
    private readonly pockets: PocketsService,
    private readonly leases: LeaseKeeper,
    private readonly queue: JobWaker,
    private readonly metrics: Metrics,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.registry = new ChainRegistry(runtime.chains, (profile) => nodeLog(profile, logger, metrics.nodes));
  }

  /** Connects to every chain in the background: one that is down does not delay the others. */
  start(): void {
    for (const chain of this.registry.all()) this.connecting.push(this.connect(chain));
  }

  /** Stops every listener after its current tick. A tick that waits for its node longer than 3 seconds is cut off. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const stopped = Promise.all([...this.listeners.values()].map((listener) => listener.stop()));
    await withTimeout(stopped, TICK_ENDS_WITHIN_MS);
    await this.registry.close();
    await Promise.all([stopped, ...this.connecting]);
  }

  /** Returns the nodes of each chain that this process reads. */
  nodeReports(): readonly { readonly chainRef: string; readonly nodes: readonly NodeReport[] }[] {
    return [...this.listeners].map(([chainRef, listener]) => ({ chainRef, nodes: listener.nodeReports() }));
  }

  private async connect(chain: ServedChain): Promise<void> {
    const { profile } = chain;
    while (!this.stopping.signal.aborted) {
      try {
        await this.enter(chain);
        return;
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        const level = error instanceof ForeignChain ? 'fatal' : 'warn';
        this.logger[level](
          { environment: profile.environment, network: profile.network, err: error },
          'The chain could not be connected.',
        );
        await sleep(CONNECT_RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** Takes the first node that serves the registered chain, registers it, and stands for election. */
  private async enter(chain: ServedChain): Promise<void> {
    const { profile, nodes } = chain;
    let foreign: ForeignChain | null = null;
    const entering = nodes.attempt(async ({ client, label }) => {
      const identity = await client.identity();
      try {
        return { identity, ...(await this.register(profile, identity, client)) };
      } catch (error) {
        if (!(error instanceof ForeignChain)) throw error;
        foreign = error;
        throw new ForeignNode(label, identity, 'the one we have books for');
      }
    });
    const { identity, chainRef, offered } = await entering.catch((error: unknown) => {
      throw error instanceof ChainUnavailable && foreign !== null ? foreign : error;
    });
    nodes.expectGenesis(identity);
    await this.database.transaction((tx) =>
      this.pockets.openForAllMerchants(
        tx,
        offered.map((token) => ({ ...token, environment: profile.environment, network: profile.network })),
      ),
    );
    // A new chain has no addresses, no hot wallet and no gas prices yet.
    this.queue.wake('wallets.refill', {});
    this.queue.wake('fees.sample', {});
    this.elect(chain, chainRef);
  }

  private async register(
    profile: NetworkProfile,
    identity: ChainIdentity,
    client: NodeClient,
  ): Promise<RegisteredChain> {
    const isDevelopment = this.runtime.devChains.some((dev) => String(dev.chainId) === identity.chainId);
    const mismatches = await verifyTokens(client, profile);
    const disabledTokens = new Map(
      mismatches.map(({ token, decimalsOnChain }) => [
        token.contract,
        `decimals on chain: ${decimalsOnChain ?? 'no token'}, listed: ${token.decimals}`,
      ]),
    );
    for (const [contract, reason] of disabledTokens) this.logger.error({ contract, reason }, 'A token is disabled.');
    return this.registration.register({
      profile,
      identity,
      start: await newestFinalBlock(client),
      disabledTokens,
      mayReplace: isDevelopment,
    });
  }

  /** The chains of a family share their addresses, so they share one table in memory. */
  private watchedOf({ environment, addressFamily }: NetworkProfile): WatchedAddresses {
    const key = `${environment}/${addressFamily}`;
    const watched = this.watched.get(key) ?? new WatchedAddresses(this.database, environment, addressFamily);
    this.watched.set(key, watched);
    return watched;
  }

  private elect(chain: ServedChain, chainRef: string): void {
    const name = `listener:${chainRef}`;
    let listener: Listener | null = null;
    this.leases.elect(name, {
      onElected: (epoch) => {
        if (this.stopping.signal.aborted) return;
        listener = this.listen(chain, chainRef, { name, epoch });
        this.listeners.set(chainRef, listener);
      },
      onLost: async () => {
        const lost = listener;
        await lost?.stop();
        // Elected again while the last tick ended: the listener of the new term stays.
        if (lost === null || this.listeners.get(chainRef) !== lost) return;
        this.listeners.delete(chainRef);
        this.metrics.chains.forget(chainRef);
        this.metrics.nodes.forget(chainRef);
      },
    });
  }

  private listen(chain: ServedChain, chainRef: string, lease: HeldLease): Listener {
    const { profile } = chain;
    const options = {
      chainRef,
      profile,
      secondNodeAboveCents: this.config.secondNodeAboveCents,
      database: this.database,
      lease,
      logger: this.logger,
      onTouched: (ids: readonly string[]) => this.queue.wakeMany('intents.settle', settlementJobs(ids)),
      onProgress: (lag: ChainLag) => this.metrics.chains.lag(chainRef, lag),
      onDoubt: (isInDoubt: boolean) => this.metrics.nodes.setDoubt(chainRef, isInDoubt),
      onPaused: () => this.metrics.chains.listenerPaused(chainRef),
      onDenied: (count: number) => this.metrics.nodes.denied(chainRef, count),
    };
    if (chain.reading === 'accounts') return new AccountListener({ ...options, nodes: chain.nodes });
    const watched = this.watchedOf(profile);
    return new ChainListener({ ...options, nodes: chain.nodes, watched, recorder: this.recorder });
  }
}

/** Where the reading of a new chain starts. Reorgs are followed above this block, so it must be final itself. */
async function newestFinalBlock(client: NodeClient): Promise<BlockHeader> {
  const block = await client.headerAt(await client.finalizedHeight(await client.head()));
  if (block === null) throw new ChainUnavailable('The node does not hold its own final block.');
  return block;
}
