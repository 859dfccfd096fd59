import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../domain/errors.js';
import type { Destination } from '../domain/destination.js';
import { formatUnits, minorToUnits } from '../domain/money.js';
import type { Tenant } from '../domain/tenant.js';
import { type ChainView, NetworkViews, isAvailable } from '../offers/network-views.service.js';
import { rows } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { FeeQuotes } from '../treasury/fees/fee-quotes.service.js';
import { payableDestination } from '../treasury/transactions/payable-destination.js';
import { findOrderedPocket } from './withdrawals.sql.js';
import type { CreateWithdrawalBody } from './withdrawal.schema.js';

const NETWORK_RETRY_AFTER_SECONDS = 30;

/** The fee that the pocket is charged on top of the amount. */
export interface WithdrawalFee {
  readonly cents: bigint;
  /** Smallest units of the pocket's token. */
  readonly units: bigint;
}

/** A pocket as an order finds it. */
export interface OrderedPocket extends Omit<
  RowOf<typeof findOrderedPocket>,
  'availableAccountId' | 'heldAccountId' | 'available'
> {
  readonly availableAccountId: number;
  readonly heldAccountId: number;
  /** Smallest units. */
  readonly available: bigint;
}

/** An order, with what was asked of the chain before. */
export interface WithdrawalOrder extends CreateWithdrawalBody {
  /** As `DestinationAccounts.opensAccount`. */
  readonly opensAccount: boolean | null;
}

/** An order as far as it could be evaluated: with a failure, the parts that failed are null. */
export interface EvaluatedOrder {
  readonly pocket: OrderedPocket;
  readonly chainRef: string | null;
  /** Smallest units. */
  readonly amount: bigint | null;
  readonly destination: Destination | null;
  readonly fee: WithdrawalFee | null;
  /** Every check that fails, in the order of precedence: the API answers with the first. */
  readonly failures: readonly DomainError[];
}

/** Decides whether a withdrawal may be accepted. */
@Injectable()
export class WithdrawalChecks {
  constructor(
    private readonly networks: NetworkViews,
    private readonly fees: FeeQuotes,
  ) {}

  /**
   * Evaluates an order by the rows as they are; joins the caller's transaction, if there is one.
   * @throws DomainError not_found when the pocket is not the caller's: no other check applies then.
   */
  async evaluate(em: EntityManager, tenant: Tenant, order: WithdrawalOrder): Promise<EvaluatedOrder> {
    const pocket = await orderedPocket(em, tenant, order.pocket_id);
    const view = await this.networks.find(pocket.environment, pocket.network, em);
    const chainRef = view !== null && isOffered(view, pocket) ? view.chainRef : null;
    const destination = await payableDestination(em, pocket.network, order.destination);
    const amount = minorToUnits(BigInt(order.amount_cents), pocket.decimals, pocket.minorUnitExponent);
    const fee = chainRef === null ? networkUnavailable(pocket) : await this.feeOf(em, chainRef, pocket, order);
    const found = [
      amount === null ? tooFine(pocket) : null,
      destination instanceof DomainError ? destination : null,
      tooSmall(pocket, view, { amount: amount ?? 0n, opensAccount: order.opensAccount }),
      pocket.hasOpenWithdrawal ? locked() : null,
      insufficient(pocket, {
        amount: amount ?? 0n,
        cents: order.amount_cents,
        fee: fee instanceof DomainError ? null : fee,
      }),
      fee instanceof DomainError ? fee : null,
    ];
    return {
      pocket,
      chainRef,
      amount,
      destination: destination instanceof DomainError ? null : destination,
      fee: fee instanceof DomainError ? null : fee,
      failures: found.filter((failure) => failure !== null),
    };
  }

  private async feeOf(
    em: EntityManager,
    chainRef: string,
    pocket: OrderedPocket,
    order: WithdrawalOrder,
  ): Promise<WithdrawalFee | DomainError> {
    try {
      const quote = await this.fees.quote(em, {
        chainRef,
        environment: pocket.environment,
        network: pocket.network,
        token: pocket,
        strategy: order.fee_strategy,
        opensAccount: order.opensAccount,
      });
      return { cents: quote.networkFeeCents, units: quote.feeUnits };
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }
}

async function orderedPocket(em: EntityManager, tenant: Tenant, id: string): Promise<OrderedPocket> {
  const [pocket] = await rows(em, findOrderedPocket(id, tenant));
  if (pocket === undefined) throw notFound('pocket');
  return {
    ...pocket,
    availableAccountId: Number(pocket.availableAccountId),
    heldAccountId: Number(pocket.heldAccountId),
    available: BigInt(pocket.available),
  };
}

/** Whether the pocket's token can be paid out now: it is on offer, and the chain is read, so the outcome will be seen. */
function isOffered(view: ChainView, { contract }: OrderedPocket): boolean {
  return isAvailable(view) && view.tokens.some((token) => token.contract === contract && token.enabled);
}

/** Compares the money in the pocket with what an order needs: both in smallest units, `cents` as the order says it. */
function insufficient(
  { decimals, minorUnitExponent, symbol, available }: OrderedPocket,
  { amount, cents, fee }: { readonly amount: bigint; readonly cents: number; readonly fee: WithdrawalFee | null },
): DomainError | null {
  if (available >= amount + (fee?.units ?? 0n)) return null;
  const needed = `${formatUnits(BigInt(cents) + (fee?.cents ?? 0n), minorUnitExponent)} ${symbol}`;
  const needs = fee === null ? `the amount is ${needed}` : `the amount and the network fee need ${needed}`;
  return new DomainError(
    'insufficient_balance',
    `The pocket has ${formatUnits(available, decimals)} ${symbol} available; ${needs}.`,
    {
      param: 'amount_cents',
    },
  );
}

function tooFine({ symbol, decimals }: OrderedPocket): DomainError {
  return new DomainError('invalid_request', `The amount has more than the ${decimals} decimals of ${symbol}.`, {
    param: 'amount_cents',
  });
}

/** An address that holds nothing must receive at least what the chain asks for. Unknown ones are left to the simulation. */
function tooSmall(
  { contract, symbol, decimals, network }: OrderedPocket,
  view: ChainView | null,
  { amount, opensAccount }: { readonly amount: bigint; readonly opensAccount: boolean | null },
): DomainError | null {
  const token = view?.tokens.find((listed) => listed.contract === contract);
  const minimum = BigInt(token?.minimumAmount ?? 0);
  if (opensAccount !== true || amount >= minimum) return null;
  const least = `${formatUnits(minimum, decimals)} ${symbol}`;
  return invalidParam(
    'amount_cents',
    `The destination holds nothing, and such an address on ${network} cannot receive less than ${least}.`,
  );
}

function locked(): DomainError {
  return new DomainError('pocket_locked', 'Another withdrawal from this pocket is in flight.', {
    param: 'pocket_id',
    retryAfterSeconds: 5,
  });
}

function networkUnavailable(pocket: OrderedPocket): DomainError {
  return new DomainError(
    'network_unavailable',
    `Withdrawals of ${pocket.symbol} on ${pocket.network} cannot be made right now.`,
    {
      retryAfterSeconds: NETWORK_RETRY_AFTER_SECONDS,
    },
  );
}
