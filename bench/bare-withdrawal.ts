import { createHash, randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { chainOf, type Effect, one, priceRoundOf, type Row } from './bare-reads.ts';
import { ENTRY, POSTINGS } from './bare-settlement-statements.ts';
import * as statements from './bare-withdrawal-statements.ts';

const FEES_FRESH_SECONDS = 120;
const TRANSFER_GAS = 65_000n;
const WEI_PER_COIN = 10n ** 18n;

/** A withdrawal with the same rows as in the service, without its checks of the results. */
export function withdraw(body: string): Effect {
  const order = JSON.parse(body);
  return async (client, merchantId) => {
    const pocket = await one(client, statements.LOCK_POCKET, [order.pocket_id, merchantId, 'sandbox']);
    await one(client, statements.BALANCE, [pocket['available_account_id']]);
    const { chain_ref: chainRef } = await chainOf(client, 'sandbox', String(pocket['network']));
    const key = String(order.destination).toLowerCase();
    await one(client, statements.REFUSED, [key]);
    const fee = await feeOf(client, String(chainRef));
    await one(client, statements.IS_LISTED, ['evm', key]);
    await one(client, statements.IN_FLIGHT, [pocket['id']]);
    const amount = BigInt(order.amount_cents) * unitsPerCent(pocket);
    const withdrawal = await one(client, statements.INSERT_WITHDRAWAL, [
      `wd_${randomUUID()}`,
      merchantId,
      'sandbox',
      pocket['id'],
      chainRef,
      pocket['network'],
      pocket['token'],
      pocket['token_contract'],
      pocket['token_decimals'],
      pocket['minor_unit_exponent'],
      order.amount_cents,
      String(amount),
      String(fee),
      String(fee * unitsPerCent(pocket)),
      order.destination,
      key,
      'standard',
      order.reference,
    ]);
    await hold(client, pocket, withdrawal);
    return presented(withdrawal);
  };
}

const unitsPerCent = (pocket: Row): bigint =>
  10n ** BigInt(Number(pocket['token_decimals']) - Number(pocket['minor_unit_exponent']));

/** Returns the network fee in minor units; the sandbox's price of a USDC is 1. */
async function feeOf(client: PoolClient, chainRef: string): Promise<bigint> {
  const fees = await one(client, statements.FEES, [chainRef, FEES_FRESH_SECONDS]);
  const { prices } = await priceRoundOf(client, 'sandbox');
  const coins: Record<string, { price: string } | undefined> = Object(prices);
  const perCoin = BigInt(Math.ceil(Number(coins['POL']?.price) * 100));
  const wei = TRANSFER_GAS * ((BigInt(String(fees['base_fee'])) * 5n) / 4n + BigInt(String(fees['tip_standard'])));
  return (wei * perCoin) / WEI_PER_COIN + 1n;
}

/** Moves amount and fee from the available to the held balance. */
async function hold(client: PoolClient, pocket: Row, withdrawal: Row): Promise<void> {
  const asset = `${String(pocket['network'])}:${String(pocket['token_contract'])}`;
  const total = BigInt(String(withdrawal['amount'])) + BigInt(String(withdrawal['fee_amount']));
  const legs = [
    { account: Number(pocket['available_account_id']), amount: -total },
    { account: Number(pocket['held_account_id']), amount: total },
  ].toSorted((a, b) => a.account - b.account);
  const [entryId, reference] = [`ent_${randomUUID()}`, `withdrawal:${String(withdrawal['id'])}`];
  // The same content that the service hashes, because the service seals and audits these entries.
  const content = [reference, 'withdrawal', legs.map(({ account, amount }) => [account, asset, String(amount)])];
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  await one(client, ENTRY, [[entryId], [reference], ['withdrawal'], [hash]]);
  await one(client, POSTINGS, [
    legs.map(() => entryId),
    legs.map(({ account }) => account),
    legs.map(() => asset),
    legs.map(() => 'sandbox'),
    legs.map(({ amount }) => String(amount)),
  ]);
}

/** Returns the withdrawal as the API shows it, with the same fields and size. */
function presented(row: Row): Row {
  return {
    id: row['id'],
    object: 'withdrawal',
    merchant_id: row['merchant_id'],
    environment: row['environment'],
    status: row['status'],
    pocket_id: row['pocket_id'],
    network: row['network'],
    token: row['token'],
    amount_cents: Number(row['amount_cents']),
    network_fee_cents: Number(row['network_fee_cents']),
    destination: row['destination'],
    fee_strategy: row['fee_strategy'],
    tx_hash: row['tx_hash'],
    reference: row['reference'],
    failure_code: row['failure_code'],
    failure_message: row['failure_message'],
    created_at: row['created_at'],
    updated_at: row['updated_at'],
    completed_at: row['completed_at'],
  };
}
