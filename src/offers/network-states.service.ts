import { Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type ChainView, readChains } from './network-views.service.js';
import { cursorsOf, nodesOf } from './network-states.sql.js';

/** A node of a chain, as the process that reads the chain has found it. */
export type NodeState = RowOf<typeof nodesOf>;

/** A network as staff see it. */
export interface NetworkState {
  readonly view: ChainView;
  readonly cursor: RowOf<typeof cursorsOf>;
  readonly nodes: readonly NodeState[];
}

/** Reads the listeners of the networks and their nodes, for staff. It asks no node. */
@Injectable()
export class NetworkStates {
  constructor(private readonly database: Database) {}

  /** Returns the active chains of an environment in the order of their registration. */
  async list(environment: Environment): Promise<readonly NetworkState[]> {
    const em = this.database.em();
    const views = (await readChains(em)).filter((view) => view.environment === environment);
    const cursors = new Map(
      (await this.database.rows(cursorsOf(environment))).map((cursor) => [cursor.chainRef, cursor] as const),
    );
    const nodes = Map.groupBy(await this.database.rows(nodesOf(environment)), ({ chainRef }) => chainRef);
    return views.flatMap((view) => {
      const cursor = cursors.get(view.chainRef);
      return cursor === undefined ? [] : [{ view, cursor, nodes: nodes.get(view.chainRef) ?? [] }];
    });
  }
}
