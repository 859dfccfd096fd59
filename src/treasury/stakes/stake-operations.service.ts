import { Injectable } from '@nestjs/common';
import type { StakeState } from '../../chains/expiring-stakes.js';
import type { PaymentConditions } from '../../chains/expiring.js';
import { coinOf } from '../../chains/networks.js';
import { stakerOf } from '../../chains/registry.js';
import { DomainError, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { newId } from '../../domain/ids.js';
import { Chain } from '../../offers/chain.entity.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { formatUnits } from '../../domain/money.js';
import type { ExpiringChain } from '../treasury-chains.service.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { stakeObstacle } from './stake-obstacle.js';
import {
  endOrder,
  findOpenOrder,
  findOrder,
  insertOrder,
  lockOrder,
  newestOrders,
  newestOrdersIn,
  type StakeTerms,
} from './stake-orders.sql.js';
import { type StakeOrderView, stakeView } from './stake-view.js';

const LISTED_MAX = 10;

/** The stake of a hot wallet with its orders, the newest first. */
export interface StakeOverview {
  readonly address: string;
  readonly state: StakeState;
  readonly orders: readonly StakeOrderView[];
}

/** An order to stake, with the decimals of its coin. */
export interface RecentStake extends StakeOrderView {
  readonly decimals: number;
}

/** An order to stake, and whether it was made now. */
export interface OrderedStakeView {
  readonly order: StakeOrderView;
  readonly isNew: boolean;
}

/** A change that an operator wants, and what the chain says before it. */
interface WantedStake {
  readonly terms: StakeTerms;
  readonly staff: StaffOrder;
  readonly state: StakeState;
  readonly conditions: PaymentConditions;
}

/** Orders changes of a hot wallet's stake, for operators. The vault signs them. */
@Injectable()
export class StakeOperations {
  constructor(private readonly database: Database) {}

  /**
   * Orders a change of the stake, unless it is ordered already: then that order is returned. It opens its own
   * transaction, since the chain is asked before.
   * @throws DomainError invalid_state_transition when it is not possible now, or another order is open; not_found without a
   * hot wallet
   */
  async order(chain: ExpiringChain, terms: StakeTerms, staff: StaffOrder): Promise<OrderedStakeView> {
    const { chainRef, nodes } = chain;
    const address = await this.walletOf(chainRef);
    const open = await this.openOrder(chainRef, terms);
    if (open !== null) return { order: open, isNew: false };
    const state = await this.stateOf(chain, address);
    const conditions = await nodes.attempt(({ client }) => client.conditions(null));
    const id = await this.database.transaction((tx) => this.insert(tx, chain, { terms, staff, state, conditions }));
    const order = id === null ? await this.openOrder(chainRef, terms) : await this.find(id);
    if (order === null) throw refusal('Another order has just ended: try again.');
    return { order, isNew: id !== null };
  }

  /** Returns an order; throws without one. */
  async find(id: string): Promise<StakeOrderView> {
    const [row] = await this.database.rows(findOrder(id));
    if (row === undefined) throw notFound(`stake order ${id}`);
    return stakeView(row);
  }

  /** Returns what a hot wallet has staked, by the chain, and its newest orders. */
  async overview(chain: ExpiringChain): Promise<StakeOverview> {
    const address = await this.walletOf(chain.chainRef);
    const state = await this.stateOf(chain, address);
    const orders = await this.database.rows(newestOrders(chain.chainRef, LISTED_MAX));
    return { address, state, orders: orders.map(stakeView) };
  }

  /** Returns the newest orders of an environment. It asks no chain. */
  async recent(environment: Environment): Promise<readonly RecentStake[]> {
    const chains = await this.database.em().find(Chain, { environment, active: true });
    const coins = new Map(chains.map(({ id, network }) => [id, coinOf(network)]));
    const orders = await this.database.rows(newestOrdersIn(environment, LISTED_MAX));
    return orders.flatMap((row) => {
      const coin = coins.get(row.chainRef);
      return coin === undefined ? [] : [{ ...stakeView(row), decimals: coin.decimals }];
    });
  }

  /** Ends an order that is not signed. Joins the caller's transaction. @throws DomainError */
  async cancel(tx: Tx, id: string, staff: StaffOrder): Promise<void> {
    const [order] = await rows(tx, lockOrder(id));
    if (order === undefined) throw notFound(`stake order ${id}`);
    if (order.finishedAt !== null) throw refusal(`${id} has ended.`);
    if (order.signedAt !== null) throw refusal(`${id} is signed: the chain decides about it.`);
    await recordAction(tx, { ...staff, action: 'treasury.cancel_stake', subject: id });
    await rows(tx, endOrder(id, null));
  }

  private async insert(
    tx: Tx,
    { chainRef, profile: { environment, network } }: ExpiringChain,
    { terms, staff, state, conditions }: WantedStake,
  ): Promise<string | null> {
    const coin = coinOf(network);
    const shown = (units: bigint): string => `${formatUnits(units, coin.decimals)} ${coin.symbol}`;
    const staker = stakerOf(network);
    if (staker === null) throw refusal(`Nothing can be staked on ${network}.`);
    const obstacle = await stakeObstacle(tx, { chainRef, environment, network, staker }, terms, {
      state,
      conditions,
      shown,
    });
    if (obstacle !== null) throw refusal(obstacle);
    const id = newId('stk_');
    const inserted = await rows(tx, insertOrder(id, chainRef, terms));
    if (inserted.length === 0) return null;
    const details = { chain: chainRef, amount: String(terms.amount) };
    await recordAction(tx, { ...staff, action: `treasury.${ACTIONS[terms.move]}`, subject: id, details });
    return id;
  }

  private async openOrder(chainRef: string, { move, amount }: StakeTerms): Promise<StakeOrderView | null> {
    const [row] = await this.database.rows(findOpenOrder(chainRef));
    if (row === undefined) return null;
    const open = stakeView(row);
    if (open.move === move && open.amount === amount) return open;
    throw refusal(`${open.id} is open, which is another order: wait until it has ended, or cancel it.`);
  }

  private async stateOf({ stakes, profile }: ExpiringChain, address: string): Promise<StakeState> {
    if (stakes === null) throw refusal(`Nothing can be staked on ${profile.network}.`);
    return stakes.attempt(({ client }) => client.stakeOf(address));
  }

  private async walletOf(chainRef: string): Promise<string> {
    const wallet = await this.database.em().findOne(HotWallet, { chainRef });
    if (wallet === null) throw notFound('hot wallet');
    return wallet.addressKey;
  }
}

const ACTIONS = {
  stake: 'stake',
  unstake: 'unstake',
  withdraw: 'withdraw_stake',
} as const satisfies Readonly<Record<StakeTerms['move'], string>>;

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
