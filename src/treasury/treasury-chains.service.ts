import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { ChainNodes } from '../chains/nodes/chain-nodes.js';
import type { NetworkProfile } from '../chains/networks.js';
import { ChainRegistry } from '../chains/registry.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import type { RowOf } from '../platform/sql/sql.js';
import { activeChains, findActiveChain } from './treasury-chains.sql.js';

/** A chain of the ledger, with the nodes through which this process reaches it. */
export interface TreasuryChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes;
}

type ChainRow = RowOf<typeof activeChains>;

/**
 * The chains on which the treasury works, as the listener registered them. A node is connected on first use and then
 * asked which chain it serves: nodes of another chain are not used.
 */
@Injectable()
export class TreasuryChains implements BeforeApplicationShutdown {
  private registry: ChainRegistry | null = null;
  /** The genesis that the nodes of a chain must serve. */
  private readonly expectedGenesis = new Map<ChainNodes, string>();
  private readonly foreign = new Set<string>();
  private closing = false;

  constructor(
    private readonly database: Database,
    @Inject(RUNTIME) private readonly runtime: Pick<Runtime, 'chains'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** True once shutdown began: node errors are then caused by our own disconnect. */
  get isClosing(): boolean {
    return this.closing;
  }

  /** Returns every active chain that this process can reach. */
  async active(): Promise<readonly TreasuryChain[]> {
    const rows = await this.database.rows(activeChains);
    return rows.map((row) => this.chainOf(row)).filter((chain) => chain !== null);
  }

  /** Returns one chain; null when it is no longer active or this process has no node of it. */
  async find(chainRef: string): Promise<TreasuryChain | null> {
    const [row] = await this.database.rows(findActiveChain(chainRef));
    return row === undefined ? null : this.chainOf(row);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.registry?.close();
  }

  private chainOf(row: ChainRow): TreasuryChain | null {
    if (this.closing) return null;
    this.registry ??= new ChainRegistry(this.runtime.chains);
    const served = this.registry.get(row.environment, row.network);
    if (served?.reading !== 'blocks' || served.payers === null) return null;
    const { profile, payers: nodes } = served;
    if (profile.chainId !== row.chainId) {
      this.reportForeign(row, profile);
      return null;
    }
    // A restarted development chain is another chain behind the same nodes.
    if (this.expectedGenesis.get(nodes) !== row.genesisHash) {
      nodes.expectGenesis({ chainId: row.chainId, genesisHash: row.genesisHash });
      this.expectedGenesis.set(nodes, row.genesisHash);
    }
    return { chainRef: row.id, profile, nodes };
  }

  private reportForeign(row: ChainRow, { chainId }: NetworkProfile): void {
    if (this.foreign.has(row.id)) return;
    this.foreign.add(row.id);
    this.logger.error({ chainRef: row.id, configured: chainId }, 'The configured nodes serve another chain.');
  }
}
