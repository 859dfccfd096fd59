import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import type { SearchedPrefix } from '../domain/search-candidates.js';
import { Event } from '../events/event.entity.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { sql } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';
import { Delivery } from '../webhooks/deliveries/delivery.entity.js';
import { WebhookEndpoint } from '../webhooks/endpoints/webhook-endpoint.entity.js';
import { staffStep } from '../withdrawals/staff-steps.sql.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';
import { hits } from './hit-columns.sql.js';

const intent = table(PaymentIntent, 'intent');
const withdrawal = table(Withdrawal);
const event = table(Event);
const delivery = table(Delivery);
const endpoint = table(WebhookEndpoint, 'endpoint');
const pocket = table(Pocket);
const merchant = table(Merchant);
const deposit = table(Deposit);
const address = table(PoolAddress, 'address');
const chain = table(Chain);

/** The columns of an intent that a search shows. */
export const intentColumns = {
  id: intent.id,
  environment: intent.environment,
  merchantId: intent.merchantId,
  createdAt: intent.createdAt,
  state: intent.status,
  network: intent.network,
  token: intent.token,
  // In cents of its currency.
  amount: sql`${intent.amountCents}::text`,
  decimals: sql`2`,
} as const;

/** What a withdrawal waits for staff to do, or else its status. One that staff cancelled has the status of a failure. */
const withdrawalState = sql`
  coalesce(
    case ${staffStep} when 'approval' then 'needs_approval' when 'unfreezing' then 'frozen' end,
    case when ${withdrawal.failureCode} = 'cancelled' then 'cancelled' else ${withdrawal.status} end)`;

/** The columns of a withdrawal that a search shows. */
export const withdrawalColumns = {
  id: withdrawal.id,
  environment: withdrawal.environment,
  merchantId: withdrawal.merchantId,
  createdAt: withdrawal.createdAt,
  state: withdrawalState,
  network: withdrawal.network,
  token: withdrawal.token,
  amount: sql`${withdrawal.amount}::text`,
  decimals: withdrawal.tokenDecimals,
} as const;

/** The columns of a deposit that a search shows. Its merchant is that of its intent. */
export const depositColumns = {
  id: deposit.id,
  environment: chain.environment,
  merchantId: deposit.merchantId,
  createdAt: deposit.seenAt,
  state: deposit.status,
  network: chain.network,
  token: deposit.tokenContract,
  relatedId: sql`coalesce(${deposit.intentId}, ${address.intentId})`,
} as const;

/** The statements that find objects by their ids, by the prefix of the ids. A request has another one. */
export const HITS_BY_ID = {
  pi_: (ids: readonly string[]) =>
    hits('payment_intent', 'id', { ...intentColumns, key: intent.id }, sql`${intent} where ${intent.id} = any(${ids})`),
  wd_: (ids: readonly string[]) =>
    hits(
      'withdrawal',
      'id',
      { ...withdrawalColumns, key: withdrawal.id },
      sql`${withdrawal} where ${withdrawal.id} = any(${ids})`,
    ),
  evt_: (ids: readonly string[]) =>
    hits(
      'event',
      'id',
      {
        id: event.id,
        environment: event.environment,
        merchantId: event.merchantId,
        createdAt: event.createdAt,
        key: event.id,
        state: event.type,
        relatedId: event.resourceId,
        deliveryIds: sql`array(select ${delivery.id} from ${delivery}
          where ${delivery.eventId} = ${event.id} and not ${delivery.superseded} order by ${delivery.id})`,
      },
      sql`${event} where ${event.id} = any(${ids})`,
    ),
  dlv_: (ids: readonly string[]) =>
    hits(
      'delivery',
      'id',
      {
        id: delivery.id,
        environment: endpoint.environment,
        merchantId: endpoint.merchantId,
        createdAt: delivery.createdAt,
        key: delivery.id,
        state: delivery.status,
        relatedId: delivery.eventId,
      },
      sql`${delivery} join ${endpoint} on ${endpoint.id} = ${delivery.endpointId} where ${delivery.id} = any(${ids})`,
    ),
  we_: (ids: readonly string[]) =>
    hits(
      'webhook_endpoint',
      'id',
      {
        id: endpoint.id,
        environment: endpoint.environment,
        merchantId: endpoint.merchantId,
        createdAt: endpoint.createdAt,
        key: endpoint.id,
        state: sql`case when ${endpoint.deletedAt} is not null then 'deleted'
                        when ${endpoint.enabled} then 'enabled' else 'disabled' end`,
      },
      sql`${endpoint} where ${endpoint.id} = any(${ids})`,
    ),
  pkt_: (ids: readonly string[]) =>
    hits(
      'pocket',
      'id',
      {
        id: pocket.id,
        environment: pocket.environment,
        merchantId: pocket.merchantId,
        createdAt: pocket.createdAt,
        key: pocket.id,
        network: pocket.network,
        token: pocket.token,
      },
      sql`${pocket} where ${pocket.id} = any(${ids})`,
    ),
  dep_: (ids: readonly string[]) =>
    hits(
      'deposit',
      'id',
      { ...depositColumns, key: deposit.id },
      sql`${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
          join ${address} on ${address.id} = ${deposit.addressId} where ${deposit.id} = any(${ids})`,
    ),
} as const satisfies Partial<Record<SearchedPrefix, (ids: readonly string[]) => ReturnType<typeof hits>>>;

/** Finds merchants, who belong to every environment. */
export const merchantsById = (ids: readonly string[], environment: Environment) =>
  hits(
    'merchant',
    'id',
    {
      id: merchant.id,
      environment: sql`${environment}::text`,
      merchantId: merchant.id,
      createdAt: merchant.createdAt,
      key: merchant.id,
    },
    sql`${merchant} where ${merchant.id} = any(${ids})`,
  );
