import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { book } from './bare-booking.ts';
import { chainOf, type Effect, priceRoundOf, type Row, run } from './bare-reads.ts';
import * as statements from './bare-withdrawal-statements.ts';

const TRANSFER_GAS = 65_000n;
const WEI_PER_COIN = 10n ** 18n;

/** A withdrawal with the same rows as in the service, without its checks of the results. */
export function withdraw(body: string): Effect {
  const order = JSON.parse(body);
  return async (client, merchantId) => {
    const pocketId: unknown = order.pocket_id;
    const pocket = await run(client, statements.LOCK_POCKET, { pocketId, merchantId });
    await run(client, statements.STATE_OF_POCKET, { pocketId, accountId: Number(pocket['availableAccountId']) });
    const { chain_ref: chainRef } = await chainOf(client, 'sandbox', String(pocket['network']));
    const address = String(order.destination).toLowerCase();
    await run(client, statements.UNPAYABLE, { address });
    const fee = await feeOf(client, String(chainRef));
    await run(client, statements.LISTING, { address });
    const amount = BigInt(order.amount_cents) * unitsPerCent(pocket);
    const withdrawal = await run(client, statements.INSERT_WITHDRAWAL, {
      id: `wd_${randomUUID()}`,
      merchantId,
      pocketId,
      chainRef,
      network: pocket['network'],
      token: pocket['token'],
      contract: pocket['tokenContract'],
      decimals: pocket['tokenDecimals'],
      exponent: pocket['minorUnitExponent'],
      amountCents: order.amount_cents,
      amount,
      feeCents: Number(fee),
      fee: fee * unitsPerCent(pocket),
      destination: order.destination,
      address,
      reference: order.reference,
    });
    await book(client, {
      reference: `withdrawal:${String(withdrawal['id'])}`,
      kind: 'withdrawal',
      asset: `${String(pocket['network'])}:${String(pocket['tokenContract'])}`,
      from: Number(pocket['availableAccountId']),
      to: Number(pocket['heldAccountId']),
      amount: amount + fee * unitsPerCent(pocket),
    });
    return presented(withdrawal);
  };
}

const unitsPerCent = (pocket: Row): bigint =>
  10n ** BigInt(Number(pocket['tokenDecimals']) - Number(pocket['minorUnitExponent']));

/** Returns the network fee in minor units; the sandbox's price of a USDC is 1. */
async function feeOf(client: PoolClient, chainRef: string): Promise<bigint> {
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
