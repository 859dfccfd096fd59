import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { AccountClient } from '../chains/accounts.js';
import type { BlockClient, NodeClient } from '../chains/chain.js';
import type { StakeClient } from '../chains/expiring-stakes.js';
import type { ExpiringSweeper, OwnCostClient } from '../chains/expiring-sweeps.js';
import type { ExpiringClient, ExpiringPayer } from '../chains/expiring.js';
import type { ChainNodes } from '../chains/nodes/chain-nodes.js';
import type { NetworkProfile } from '../chains/networks.js';
import { ChainRegistry, type ServedChain } from '../chains/registry.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { ReachedChains } from './chain-job.js';
import { type SendingChain, sendingNodes } from './transactions/sending-nodes.js';
import { activeChains, findActiveChain } from './treasury-chains.sql.js';

/** A chain of the ledger on which an account nonce excludes a second payment, with its nodes. */
export interface TreasuryChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes;
}

/** A node of a chain on which transactions expire. */
export type ExpiringNode = NodeClient & ExpiringClient;

/** A chain of the ledger on which transactions expire. */
export interface ExpiringChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes<ExpiringNode>;
  readonly payer: ExpiringPayer;
  readonly sweeper: ExpiringSweeper;
  /** The same nodes where deposit addresses pay for their sweeps; null where the hot wallet does. */
  readonly ownCosts: ChainNodes<NodeClient & OwnCostClient> | null;
  /** The same nodes where the hot wallet can stake coins; null elsewhere. */
  readonly stakes: ChainNodes<NodeClient & StakeClient> | null;
}

/** A chain of the ledger that is read account by account. */
export interface ReadAccountChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes<AccountClient & ExpiringClient>;
}

/** A chain of the ledger that is read block by block, and on which transactions expire. */
export interface ReadBlockChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes<BlockClient & ExpiringClient>;
}

type ChainRow = RowOf<typeof activeChains>;
type ReachedChain = { readonly chainRef: string; readonly served: ServedChain };

/**
 * The chains on which the treasury works, as the listener registered them. A node is connected on first use and then
 * asked which chain it serves: nodes of another chain are not used.
 */
@Injectable()
export class TreasuryChains implements ReachedChains<TreasuryChain>, BeforeApplicationShutdown {
  /** The chains on which transactions expire. */
  readonly expiring: ReachedChains<ExpiringChain>;
  /** The chains that are read account by account. */
  readonly accounts: ReachedChains<ReadAccountChain>;
  /** The chains that are read block by block, and on which transactions expire. */
  readonly blocks: ReachedChains<ReadBlockChain>;
  /** All chains, to send signed bytes. */
  readonly sending: ReachedChains<SendingChain>;
  private registry: ChainRegistry | null = null;
  /** The genesis that the nodes of a chain must serve. */
  private readonly expectedGenesis = new Map<ServedChain['nodes'], string>();
  private readonly foreign = new Set<string>();
  private closing = false;

  constructor(
    private readonly database: Database,
    @Inject(RUNTIME) private readonly runtime: Pick<Runtime, 'chains'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.expiring = this.chainsBy(expiringOf);
    this.accounts = this.chainsBy(accountsOf);
    this.blocks = this.chainsBy(blocksOf);
    this.sending = this.chainsBy(sendingOf);
  }

  /** True once shutdown began: node errors are then caused by our own disconnect. */
  get isClosing(): boolean {
    return this.closing;
  }

  /** Returns every active chain with account nonces that this process can reach. */
  async active(): Promise<readonly TreasuryChain[]> {
    return (await this.reached()).flatMap(nonceChainOf);
  }

  /** Returns one chain with account nonces; null when it is no longer active or this process has no node of it. */
  async find(chainRef: string): Promise<TreasuryChain | null> {
    const [row] = await this.database.rows(findActiveChain(chainRef));
    const chain = row === undefined ? null : this.chainOf(row);
    return chain === null ? null : (nonceChainOf(chain)[0] ?? null);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.registry?.close();
  }

  private chainsBy<Chain>(select: (chain: ReachedChain) => readonly Chain[]): ReachedChains<Chain> {
    const isClosing = () => this.closing;
    return {
      active: async () => (await this.reached()).flatMap(select),
      get isClosing() {
        return isClosing();
      },
    };
  }

  private async reached(): Promise<readonly ReachedChain[]> {
    const rows = await this.database.rows(activeChains);
    return rows.map((row) => this.chainOf(row)).filter((chain) => chain !== null);
  }

  private chainOf(row: ChainRow): ReachedChain | null {
    if (this.closing) return null;
    this.registry ??= new ChainRegistry(this.runtime.chains);
    const served = this.registry.get(row.environment, row.network);
    if (served === null) return null;
    const { profile, nodes } = served;
    if (profile.chainId !== row.chainId) {
      this.reportForeign(row, profile);
      return null;
    }
    // A restarted development chain is another chain behind the same nodes.
    if (this.expectedGenesis.get(nodes) !== row.genesisHash) {
      nodes.expectGenesis({ chainId: row.chainId, genesisHash: row.genesisHash });
      this.expectedGenesis.set(nodes, row.genesisHash);
    }
    return { chainRef: row.id, served };
  }

  private reportForeign(row: ChainRow, { chainId }: NetworkProfile): void {
    if (this.foreign.has(row.id)) return;
    this.foreign.add(row.id);
    this.logger.error({ chainRef: row.id, configured: chainId }, 'The configured nodes serve another chain.');
  }
}

function nonceChainOf({ chainRef, served }: ReachedChain): readonly TreasuryChain[] {
  if (served.reading !== 'blocks' || served.payers === null) return [];
  return [{ chainRef, profile: served.profile, nodes: served.payers }];
}

function sendingOf({ chainRef, served }: ReachedChain): readonly SendingChain[] {
  if (served.expiring !== null) {
    return [{ chainRef, nodes: sendingNodes(served.expiring.nodes, (client) => client), expires: true }];
  }
  if (served.reading !== 'blocks' || served.payers === null) return [];
  return [{ chainRef, nodes: sendingNodes(served.payers, ({ outgoing }) => outgoing), expires: false }];
}

function accountsOf({ chainRef, served }: ReachedChain): readonly ReadAccountChain[] {
  return served.reading === 'accounts' ? [{ chainRef, profile: served.profile, nodes: served.nodes }] : [];
}

function blocksOf({ chainRef, served }: ReachedChain): readonly ReadBlockChain[] {
  if (served.reading !== 'blocks' || served.expiring === null) return [];
  return [{ chainRef, profile: served.profile, nodes: served.expiring.nodes }];
}

function expiringOf({ chainRef, served }: ReachedChain): readonly ExpiringChain[] {
  const { profile, expiring } = served;
  return expiring === null ? [] : [{ chainRef, profile, ...expiring }];
}
