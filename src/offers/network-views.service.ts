import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Environment, Network } from '../domain/network.js';
import { Database, rows } from '../platform/database/database.js';
import type { ValueOf } from '../platform/sql/json.js';
import type { RowOf } from '../platform/sql/sql.js';
import { activeChains, type registeredToken } from './network-views.sql.js';

const SNAPSHOT_TTL_MS = 500;
const DEGRADED_AFTER_MS = 30_000;
const UNAVAILABLE_AFTER_MS = 300_000;
/** Finality this much deeper than usual has stalled: twice the usual depth, and some blocks more for fast chains. */
const STALLED_DEPTHS = 2;
const STALLED_BLOCKS = 32;

/** A token on offer on a chain. The contract of the chain's own coin is `NATIVE_COIN`. */
export type TokenView = ValueOf<typeof registeredToken>;

/** One active chain as every process sees it: what it offers and how far it has been read. */
export interface ChainView extends Omit<
  RowOf<typeof activeChains>,
  'headHeight' | 'height' | 'finalizedHeight' | 'lagMs' | 'tokens'
> {
  readonly headHeight: number;
  readonly height: number;
  /** The height up to which the recorded chain is final. */
  readonly finalizedHeight: number;
  /** How long ago, by the database's clock, the listener was last in sync with the head. */
  readonly lagMs: number;
  /** Those on offer come first, so that a search by symbol finds the contract that has the symbol now. */
  readonly tokens: readonly TokenView[];
}

/** The status of a network (GET /v1/networks). */
export type NetworkStatus = 'ok' | 'degraded' | 'disabled';

/** Returns why a network is not `ok`, in plain words; null while it is. */
export function troubleOf(
  view: ChainView,
): { readonly status: 'degraded' | 'disabled'; readonly reason: string } | null {
  const degraded = (reason: string) => ({ status: 'degraded', reason }) as const;
  if (view.haltedReason !== null) {
    return {
      status: 'disabled',
      reason: 'Paused: a final block was reorganised. The operator must check the chain.',
    };
  }
  if (view.pausedAt !== null) {
    return { status: 'disabled', reason: 'Paused by the operator: payments show once it is resumed.' };
  }
  if (!view.tokens.some((token) => token.enabled)) return { status: 'disabled', reason: 'No token is on offer.' };
  if (isBehind(view)) return degraded('The listener is behind the chain: payments show late.');
  if (view.finalityDoubt !== null) {
    return degraded('Nodes disagree on what is final: payments are seen, and none becomes final meanwhile.');
  }
  if (isFinalityStalled(view)) {
    const notFinal = view.height - view.finalizedHeight;
    return degraded(
      `The chain has not made its last ${notFinal} blocks final: payments are seen, and become final late.`,
    );
  }
  return null;
}

/** True while recent payments may not show. */
export function isBehind(view: ChainView): boolean {
  return view.lagMs > DEGRADED_AFTER_MS;
}

/** True while the head advances and finality does not follow. */
export function isFinalityStalled(view: ChainView): boolean {
  // Compares with the recorded height, not the head: while a listener catches up, finality is close to what it has
  // read.
  return view.height - view.finalizedHeight > view.confirmations * STALLED_DEPTHS + STALLED_BLOCKS;
}

/** `disabled` when no payment can be started, `degraded` when payments show or become final late. */
export function statusOf(view: ChainView): NetworkStatus {
  return troubleOf(view)?.status ?? 'ok';
}

/** True while addresses may be assigned: customers must not pay into a chain that no listener reads. */
export function isAvailable(view: ChainView): boolean {
  return statusOf(view) !== 'disabled' && view.lagMs <= UNAVAILABLE_AFTER_MS;
}

/**
 * The chains as the listener recorded them, for every other process: only the listener talks to nodes. Shared
 * for half a second.
 */
@Injectable()
export class NetworkViews {
  private kept: { readonly views: readonly ChainView[]; readonly takenAt: number } | null = null;
  /** The read that callers outside of transactions share. */
  private reading: Promise<readonly ChainView[]> | null = null;

  constructor(private readonly database: Database) {}

  /**
   * Returns the active chains of all environments. A caller in a transaction passes it and reads on its own connection: the
   * read of another caller may wait for a connection that this transaction holds.
   */
  all(em: EntityManager = this.database.em()): Promise<readonly ChainView[]> {
    if (this.kept !== null && performance.now() - this.kept.takenAt <= SNAPSHOT_TTL_MS) {
      return Promise.resolve(this.kept.views);
    }
    if (em.isInTransaction()) return this.read(em);
    this.reading ??= this.read(em).finally(() => (this.reading = null));
    return this.reading;
  }

  /** Returns the enabled tokens of all active chains of all environments: those for which merchants have pockets. */
  async tokensOnOffer(): Promise<(TokenView & Pick<ChainView, 'environment' | 'network'>)[]> {
    const views = await this.all();
    return views.flatMap(({ environment, network, tokens }) =>
      tokens.filter((token) => token.enabled).map((token) => ({ ...token, environment, network })),
    );
  }

  /** Returns the active chain of a network; null when it is not served. */
  async find(environment: Environment, network: Network, em?: EntityManager): Promise<ChainView | null> {
    return (await this.all(em)).find((view) => view.environment === environment && view.network === network) ?? null;
  }

  /** Returns the chain of a row that refers to it; null when it is no longer active. */
  async byRef(chainRef: string, em?: EntityManager): Promise<ChainView | null> {
    return (await this.all(em)).find((view) => view.chainRef === chainRef) ?? null;
  }

  private async read(em: EntityManager): Promise<readonly ChainView[]> {
    const takenAt = performance.now();
    const views = await readChains(em);
    this.kept = { views, takenAt };
    return views;
  }
}

/** Reads the active chains as they are now. */
export async function readChains(em: EntityManager): Promise<readonly ChainView[]> {
  const chains = await rows(em, activeChains);
  return chains.map(({ headHeight, height, finalizedHeight, lagMs, tokens, ...chain }) => ({
    ...chain,
    headHeight: Number(headHeight),
    height: Number(height),
    finalizedHeight: Number(finalizedHeight),
    lagMs: Math.max(0, Number(lagMs)),
    tokens: tokens ?? [],
  }));
}
