import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { isInTime, isTerminal } from '../domain/intent-state.js';
import { addressFamilyOf, type Environment } from '../domain/network.js';
import type { Tenant } from '../domain/tenant.js';
import type {
  AcknowledgementFact,
  ChainFact,
  ElsewhereFact,
  IntentFact,
  IntentFacts,
  PaymentFact,
  UnattributedFact,
  SupplyFact,
  TransferFact,
} from './verdict/intent-verdict-facts.js';
import { centsAtPrice } from './verdict/intent-verdict-unattributed.js';
import { type PaymentDeposit, paymentDepositOf } from '../payments/deposits/payment-deposit.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { paymentStateOf } from '../payments/intents/payment-state.js';
import { type ChainView, isBehind, isFinalityStalled, NetworkViews } from '../offers/network-views.service.js';
import { Database, row, rows } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import type { RowOf } from '../platform/sql/sql.js';
import { PricingService } from '../pricing/pricing.service.js';
import { findExplained, hasFreeAddressOf } from './intent-facts.sql.js';
import { findElsewhere, findTransfers } from './intent-transfers.sql.js';
import { WebhookFactsReader } from './webhook-facts-reader.service.js';

/** Number of recent blocks that set the pace of a chain. */
const BLOCKS_OF_PACE = 32;

/** More transfers do not help to explain what happened. */
const TRANSFERS_MAX = 500;

interface Transfer extends Pick<RowOf<typeof findTransfers>, 'network' | 'symbol' | 'decimals'> {
  readonly deposit: PaymentDeposit;
}

interface Found extends Pick<RowOf<typeof findExplained>, 'pocketId' | 'secondsPerBlock'> {
  readonly intent: PaymentIntent;
  readonly now: Date;
  readonly quarantinedAt: Date | null;
  readonly acknowledgement: AcknowledgementFact | null;
}

/** Reads the facts of an explanation: a handful of statements on indexes, and nothing outside of the database. */
@Injectable()
export class IntentFactsReader {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkViews,
    private readonly pricing: PricingService,
    private readonly webhooks: WebhookFactsReader,
  ) {}

  /** @throws DomainError not_found, also for an intent of another merchant */
  async read(tenant: Tenant, id: string): Promise<IntentFacts> {
    const em = this.database.em();
    const found = await findIntent(em, tenant, id);
    const { intent } = found;
    const views = await this.networks.all(em);
    const view = viewOf(views, intent);
    const transfers = intent.address === null ? [] : await transfersTo(em, id);
    return {
      now: found.now,
      intent: intentFactOf(intent, found.pocketId),
      payments: transfers.flatMap((transfer) => paymentFactOf(transfer, intent, views) ?? []),
      unattributed: await this.unattributedAmong(transfers, intent.environment, views),
      elsewhere: intent.address === null ? [] : await elsewhereOf(em, id),
      chain: view === null ? null : chainFactOf(view, found),
      quarantinedAt: found.quarantinedAt,
      acknowledgement: found.acknowledgement,
      supply: intent.address === null ? await this.supplyOf(em, intent) : null,
      ...(await this.webhooks.read(em, tenant, id)),
    };
  }

  private async unattributedAmong(
    transfers: readonly Transfer[],
    environment: Environment,
    views: readonly ChainView[],
  ): Promise<UnattributedFact[]> {
    const unattributed: UnattributedFact[] = [];
    for (const transfer of transfers) {
      const { unattributedReason: reason, bookedAt, heldAs } = transfer.deposit;
      if (reason !== 'other_token' && reason !== 'other_network') continue;
      // Staff credited or refunded it: nothing is left to do about it.
      if (bookedAt !== null && heldAs === null) continue;
      const fact = transferFactOf(transfer, views);
      // The newest snapshot is read once and cached for a moment, however many tokens are asked for.
      const price = await this.priceOf(environment, fact.token);
      const valueCents = centsAtPrice(fact.amount, fact.decimals, price);
      unattributed.push({ ...fact, reason, valueCents });
    }
    return unattributed;
  }

  private async supplyOf(em: EntityManager, { environment, network, token }: PaymentIntent): Promise<SupplyFact> {
    const { hasFreeAddress } = await row(em, hasFreeAddressOf(environment, addressFamilyOf(network)));
    return { isPriced: (await this.priceOf(environment, token)) !== null, hasFreeAddress };
  }

  private async priceOf(environment: Environment, token: string): Promise<string | null> {
    try {
      return (await this.pricing.current(environment, token)).price;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'price_unavailable') return null;
      throw error;
    }
  }
}

async function findIntent(em: EntityManager, tenant: Tenant, id: string): Promise<Found> {
  const [found] = await rows(em, findExplained(id, tenant, BLOCKS_OF_PACE));
  if (found === undefined) throw notFound('payment intent');
  const { now, quarantinedAt, pocketId, secondsPerBlock } = found;
  return {
    intent: entityOf(em, PaymentIntent, found),
    now: new Date(now),
    quarantinedAt: quarantinedAt === null ? null : new Date(quarantinedAt),
    acknowledgement: acknowledgementOf(found),
    pocketId,
    secondsPerBlock,
  };
}

function acknowledgementOf(found: RowOf<typeof findExplained>): AcknowledgementFact | null {
  const { acknowledgedBy: author, acknowledgedWith: note, acknowledgedAt } = found;
  return author === null || note === null || acknowledgedAt === null
    ? null
    : { author, note, at: new Date(acknowledgedAt) };
}

/**
 * Returns the transfers to the intent's address, on every chain of its family, in any token: its own money first, and
 * the largest first, since anybody can send dust without end.
 */
async function transfersTo(em: EntityManager, intentId: string): Promise<Transfer[]> {
  const found = await rows(em, findTransfers(intentId, TRANSFERS_MAX));
  return found.map((transfer) => ({
    deposit: paymentDepositOf(em, transfer),
    network: transfer.network,
    symbol: transfer.symbol,
    decimals: transfer.decimals,
  }));
}

/** Returns the funds in accounts of the intent's address that cannot be credited. */
async function elsewhereOf(em: EntityManager, intentId: string): Promise<ElsewhereFact[]> {
  const found = await rows(em, findElsewhere(intentId));
  return found.map(({ account, symbol, contract, decimals, units, obstacle }) => ({
    account,
    token: symbol ?? contract,
    decimals: decimals ?? 0,
    amount: BigInt(units),
    obstacle,
  }));
}

/** Returns the chain that the intent was quoted on; before the address, the chain of its network. */
function viewOf(views: readonly ChainView[], intent: PaymentIntent): ChainView | null {
  const { chainRef, environment, network } = intent;
  const isIts = (view: ChainView): boolean =>
    chainRef === null ? view.environment === environment && view.network === network : view.chainRef === chainRef;
  return views.find(isIts) ?? null;
}

function chainFactOf(view: ChainView, { intent, secondsPerBlock }: Found): ChainFact {
  const isIts = ({ symbol, contract }: ChainView['tokens'][number]): boolean =>
    intent.tokenContract === null ? symbol === intent.token : contract === intent.tokenContract;
  return {
    height: view.height,
    headHeight: view.headHeight,
    lagMs: view.lagMs,
    isBehind: isBehind(view),
    isFinalityHeldUp: view.finalityDoubt !== null || isFinalityStalled(view),
    isHalted: view.haltedReason !== null,
    pausedAt: view.pausedAt === null ? null : new Date(view.pausedAt),
    offersToken: view.tokens.some((token) => token.enabled && isIts(token)),
    secondsPerBlock,
  };
}

function intentFactOf(intent: PaymentIntent, pocketId: string | null): IntentFact {
  const { address, tokenDecimals, cryptoAmount, toleranceBps } = intent;
  return {
    status: intent.status,
    failure: intent.failureCode,
    network: intent.network,
    token: intent.token,
    currency: intent.currency,
    amountCents: intent.amountCents,
    overpaidCents: intent.overpaidAmountCents,
    acceptedShortfallCents: intent.acceptedShortfallCents,
    receivedUnits: intent.receivedCryptoAmount,
    expiresAt: intent.expiresAt,
    completedAt: intent.completedAt,
    quote:
      address === null || tokenDecimals === null || cryptoAmount === null
        ? null
        : { address, decimals: tokenDecimals, cryptoAmount, toleranceBps },
    pocketId,
  };
}

/**
 * Returns null for a transfer that counts for no intent. A payment that an ended intent has not judged yet came after
 * its end.
 */
function paymentFactOf(transfer: Transfer, intent: PaymentIntent, views: readonly ChainView[]): PaymentFact | null {
  const { late, unattributedReason } = transfer.deposit;
  if (unattributedReason !== null) return null;
  const isLate = isTerminal(intent.status) ? (late ?? true) : !isInTime(transfer.deposit, intent.expiresAt);
  const fact = transferFactOf(transfer, views);
  const released = transfer.deposit.listedSenderId !== null && fact.status === 'confirmed';
  return { ...fact, late: isLate, released };
}

function transferFactOf({ deposit, network, symbol, decimals }: Transfer, views: readonly ChainView[]): TransferFact {
  const view = views.find(({ chainRef }) => chainRef === deposit.chainRef);
  const status = paymentStateOf(deposit);
  const required = view?.confirmations ?? 0;
  const onTop = Math.max(0, (view?.headHeight ?? 0) - deposit.blockHeight);
  return {
    id: deposit.id,
    txHash: deposit.txHash,
    from: deposit.fromAddress,
    network,
    // A token without a row in the books is shown as its contract, and its amount in smallest units.
    token: symbol ?? deposit.tokenContract,
    decimals: decimals ?? 0,
    amount: deposit.amount,
    status,
    blockHeight: deposit.blockHeight,
    blockTime: deposit.blockTime,
    seenAt: deposit.seenAt,
    confirmations: status === 'orphaned' ? 0 : Math.max(onTop, status === 'seen' ? 0 : required),
    requiredConfirmations: required,
  };
}
