import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { type WriteValues, written } from './bare-at-once.ts';
import { entryOf } from './bare-booking.ts';
import { chainOf, type Effect, priceRoundOf, type Row, run } from './bare-reads.ts';
import * as statements from './bare-withdrawal-statements.ts';
import { filled } from './templates.ts';

const TRANSFER_GAS = 65_000n;
const WEI_PER_COIN = 10n ** 18n;

/** The body of a request. */
interface Order {
  readonly pocket_id: string;
  readonly amount_cents: number;
  readonly destination: string;
  readonly reference: string;
}

/** A withdrawal in a transaction, with the same rows as in the service, without its checks of the results. */
export function withdraw(body: string): Effect {
  const order = JSON.parse(body);
  return async (client, merchantId) => {
    await run(client, statements.LOCK_POCKET, { pocketId: order.pocket_id, merchantId });
    const values = await valuesOf(client, merchantId, order);
    return presented(await run(client, statements.INSERT_WITHDRAWAL, values));
  };
}

/** The same in one statement, after the reads. Returns its JSON. */
export async function withdrawAtOnce(pool: Pool, write: WriteValues, body: string): Promise<string> {
  const values = await valuesOf(pool, write.merchantId, JSON.parse(body));
  const { statement, at } = statements.ACCEPT;
  const fixed = { environment: 'sandbox', status: 'broadcasting', feeStrategy: 'standard' };
  const ended = { txHash: null, failureCode: null, failureMessage: null, completedAt: null };
  const row = { ...values, networkFeeCents: values.feeCents, ...fixed, ...ended, createdAt: at, updatedAt: at };
  return written(pool, filled(statement, { ...values, ...write, json: JSON.stringify(presented(row)) }));
}

/** Reads what an order depends on, and returns the values of the withdrawal and of its entry. */
async function valuesOf(client: Pool | PoolClient, merchantId: string, order: Order) {
  const pocket = await run(client, statements.FIND_POCKET, { pocketId: order.pocket_id, merchantId });
  const network = String(pocket['network']);
  const { chain_ref: chainRef } = await chainOf(client, 'sandbox', network);
  const address = order.destination.toLowerCase();
  await run(client, statements.SCREEN, { address });
  const fee = await feeOf(client, String(chainRef));
  const amount = BigInt(order.amount_cents) * unitsPerCent(pocket);
  const held = amount + fee * unitsPerCent(pocket);
  const id = `wd_${randomUUID()}`;
  const entry = entryOf({
    reference: `withdrawal:${id}`,
    kind: 'withdrawal',
    asset: `${network}:${String(pocket['contract'])}`,
    from: Number(pocket['availableAccountId']),
    to: Number(pocket['heldAccountId']),
    amount: held,
  });
  return {
    id,
    merchantId,
    pocketId: order.pocket_id,
    chainRef,
    network,
    token: pocket['symbol'],
    contract: pocket['contract'],
    decimals: pocket['decimals'],
    exponent: pocket['minorUnitExponent'],
    amountCents: order.amount_cents,
    amount,
    feeCents: Number(fee),
    fee: fee * unitsPerCent(pocket),
    destination: order.destination,
    address,
    reference: order.reference,
    // Of fixed size: the bare server keeps no requests.
    apiKeyId: 'key_bare',
    requestId: 'req_bare',
    ...entry,
    held,
  };
}

const unitsPerCent = (pocket: Row): bigint =>
  10n ** BigInt(Number(pocket['decimals']) - Number(pocket['minorUnitExponent']));

/** Returns the network fee in minor units; the sandbox's price of a USDC is 1. */
async function feeOf(client: Pool | PoolClient, chainRef: string): Promise<bigint> {
  const fees = await run(client, statements.FEES, { chainRef });
  const { prices } = await priceRoundOf(client, 'sandbox');
  const coins: Record<string, { price: string } | undefined> = Object(prices);
  const perCoin = BigInt(Math.ceil(Number(coins['POL']?.price) * 100));
  const wei = TRANSFER_GAS * ((BigInt(String(fees['baseFee'])) * 5n) / 4n + BigInt(String(fees['tipStandard'])));
  return (wei * perCoin) / WEI_PER_COIN + 1n;
}

/** Returns the withdrawal as the API shows it, with the same fields and size. */
function presented(row: Row): Row {
  return {
    id: row['id'],
    object: 'withdrawal',
    merchant_id: row['merchantId'],
    environment: row['environment'],
    status: row['status'],
    pocket_id: row['pocketId'],
    network: row['network'],
    token: row['token'],
    amount_cents: Number(row['amountCents']),
    network_fee_cents: Number(row['networkFeeCents']),
    destination: row['destination'],
    fee_strategy: row['feeStrategy'],
    tx_hash: row['txHash'],
    reference: row['reference'],
    failure_code: row['failureCode'],
    failure_message: row['failureMessage'],
    created_at: row['createdAt'],
    updated_at: row['updatedAt'],
    completed_at: row['completedAt'],
  };
}
