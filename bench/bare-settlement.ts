/**
 * The baseline of settlement: only pg. It makes the deposits of paid intents final and completes the intents with the service's
 * statements, one or several intents in a transaction, as many transactions at once as a worker; it leaves out the rest of the
 * listener's step, the queue, the fold, and the relay of the events.
 * Run by `fork` with the database's URL; takes `SettleOrder`s and answers with intents per second.
 */
import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { book } from './bare-booking.ts';
import { type Row, run, runForAll } from './bare-reads.ts';
import * as statements from './bare-settlement-statements.ts';

const AT_ONCE = 16;

/** Intents to settle, each with one deposit in a final block of their chain. */
export interface SettleOrder {
  readonly chainRef: string;
  readonly finalizedHeight: number;
  readonly intentIds: readonly string[];
  /** How many of them share a transaction. */
  readonly together: number;
}

const pool = new Pool({ connectionString: process.argv[2], max: AT_ONCE });

/** Makes the deposits final, as the listener does in one transaction. */
async function confirm({ intentIds, ...reach }: SettleOrder): Promise<void> {
  const client = await pool.connect();
  await client.query('begin');
  await runForAll(
    client,
    statements.MARK,
    intentIds.map((id) => ({ id })),
  );
  await run(client, statements.CONFIRM, reach);
  await client.query('commit');
  client.release();
}

async function settle(client: PoolClient, intentIds: readonly string[]): Promise<void> {
  await client.query('begin');
  const ids = intentIds.map((id) => ({ id }));
  const before = byId(await runForAll(client, statements.LOCK, ids), 'id');
  await runForAll(client, statements.UNMARK, ids);
  const chains = byId(await runForAll(client, statements.PROGRESS, ids), 'intentId');
  const deposits = byId(await runForAll(client, statements.DEPOSITS, ids), 'intentId');
  const outcomes = ids.map(({ id }) => ({
    id,
    units: String(deposits(id)['amount']),
    cents: Number(before(id)['amountCents']),
  }));
  const intents = byId(await runForAll(client, statements.COMPLETE, outcomes), 'id');
  await runForAll(
    client,
    statements.CREDIT,
    ids.map(({ id }) => ({ depositId: deposits(id)['id'] })),
  );
  await runForAll(
    client,
    statements.EVENTS,
    ids.map(({ id }) => ({
      merchantId: intents(id)['merchantId'],
      id,
      firstId: `evt_${randomUUID()}`,
      firstType: 'payment_intent.payment_received',
      secondId: `evt_${randomUUID()}`,
      secondType: 'payment_intent.completed',
      data: JSON.stringify(presented(intents(id), deposits(id), chains(id))),
    })),
  );
  await post(
    client,
    ids.map(({ id }) => ({ intent: intents(id), deposit: deposits(id) })),
  );
  await client.query('commit');
}

async function post(
  client: PoolClient,
  paid: readonly { readonly intent: Row; readonly deposit: Row }[],
): Promise<void> {
  const pockets = paid.map(({ intent: { merchantId, network, tokenContract: contract } }) => {
    return { merchantId, network, contract, asset: `${String(network)}:${String(contract)}` };
  });
  const accounts = byId(await runForAll(client, statements.ACCOUNTS, pockets), 'nth');
  const transfers = paid.map(({ deposit }, place) => {
    const { chainAccountId, availableAccountId } = accounts(String(place + 1));
    return {
      reference: `deposit:${String(deposit['id'])}`,
      kind: 'deposit',
      asset: pockets[place]?.asset ?? '',
      from: Number(chainAccountId),
      to: Number(availableAccountId),
      amount: BigInt(String(deposit['amount'])),
    };
  });
  // In the order in which the service locks the balances of pockets; the chain's account has none.
  await book(
    client,
    transfers.toSorted((one, other) => one.to - other.to),
  );
}

function byId(rows: readonly Row[], column: string): (id: string) => Row {
  const known = new Map(rows.map((row) => [String(row[column]), row]));
  return (id) => known.get(id) ?? {};
}

/** Returns the intent as the event shows it, with the same fields and size. */
function presented(intent: Row, deposit: Row, chain: Row): Row {
  const { address, tokenContract: contract } = intent;
  const { amount, status } = deposit;
  return {
    id: intent['id'],
    object: 'payment_intent',
    merchant_id: intent['merchantId'],
    environment: intent['environment'],
    amount_cents: Number(intent['amountCents']),
    received_amount_cents: Number(intent['receivedAmountCents']),
    remaining_amount_cents: 0,
    overpaid_amount_cents: 0,
    accepted_shortfall_cents: 0,
    currency: intent['currency'],
    settlement_currency: intent['settlementCurrency'],
    network: intent['network'],
    token: intent['token'],
    token_decimals: intent['tokenDecimals'],
    crypto_amount: intent['cryptoAmount'],
    crypto_amount_decimal: intent['cryptoAmount'],
    received_crypto_amount: intent['receivedCryptoAmount'],
    token_price_cents: intent['tokenPriceCents'],
    address,
    status: intent['status'],
    failure_code: null,
    reference: intent['reference'],
    metadata: { ...Object(intent['metadata']), blockchain_address: address },
    payments: [
      {
        id: deposit['id'],
        tx_hash: deposit['txHash'],
        from_address: deposit['fromAddress'],
        amount,
        amount_decimal: amount,
        status,
        confirmations: Number(chain['headHeight']) - Number(deposit['blockHeight']),
        required_confirmations: chain['confirmations'],
        block_number: Number(deposit['blockHeight']),
        seen_at: deposit['seenAt'],
        late: false,
      },
    ],
    payment_uri: `ethereum:${String(contract)}@1/transfer?address=${String(address)}&uint256=${String(amount)}`,
    checkout_url: null,
    created_at: intent['createdAt'],
    updated_at: intent['updatedAt'],
    expires_at: intent['expiresAt'],
    completed_at: intent['completedAt'],
  };
}

/** Returns the milliseconds that `work` takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function settleAll({ intentIds, together }: SettleOrder): Promise<void> {
  const groups = Array.from({ length: Math.ceil(intentIds.length / together) }, (_, nth) =>
    intentIds.slice(nth * together, (nth + 1) * together),
  );
  const left = groups.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const ids of left) {
        const client = await pool.connect();
        await settle(client, ids);
        client.release();
      }
    }),
  );
}

async function measure(order: SettleOrder): Promise<void> {
  const confirming = await timed(() => confirm(order));
  // Otherwise a sweep of the service would find the marks.
  await pool.query(`update dirty_intent set marked_at = now() + interval '1 hour' where intent_id = any($1)`, [
    order.intentIds,
  ]);
  const settling = await timed(() => settleAll(order));
  process.send?.(order.intentIds.length / ((confirming + settling) / 1000));
}

process.on('message', (order: SettleOrder) => void measure(order));
