/**
 * The baseline of settlement: only pg. It completes paid intents with the service's statements, one transaction each, as
 * many at once as a worker; it leaves out the queue, the fold, and the relay of the events. Run by `fork` with the
 * database's URL; takes `SettleOrder`s and answers with intents per second.
 */
import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { book } from './bare-booking.ts';
import { type Row, run } from './bare-reads.ts';
import * as statements from './bare-settlement-statements.ts';

const AT_ONCE = 16;

/** Intents to settle, each with one deposit that is final. */
export interface SettleOrder {
  readonly intentIds: readonly string[];
}

const pool = new Pool({ connectionString: process.argv[2], max: AT_ONCE });

async function settle(client: PoolClient, id: string): Promise<void> {
  await client.query('begin');
  const before = await run(client, statements.LOCK, { id });
  await run(client, statements.UNMARK, { id });
  const chain = await run(client, statements.PROGRESS, { id });
  const deposit = await run(client, statements.DEPOSITS, { id });
  const amount = BigInt(String(deposit['amount']));
  const intent = await run(client, statements.COMPLETE, { id, units: amount, cents: Number(before['amountCents']) });
  await run(client, statements.CREDIT, { depositId: deposit['id'] });
  const { merchantId, network, tokenContract: contract } = intent;
  await run(client, statements.EVENTS, {
    merchantId,
    id,
    firstId: `evt_${randomUUID()}`,
    firstType: 'payment_intent.payment_received',
    secondId: `evt_${randomUUID()}`,
    secondType: 'payment_intent.completed',
    data: JSON.stringify(presented(intent, deposit, chain)),
  });
  const asset = `${String(network)}:${String(contract)}`;
  const accounts = await run(client, statements.ACCOUNTS, { merchantId, network, contract, asset });
  await book(client, {
    reference: `deposit:${String(deposit['id'])}`,
    kind: 'deposit',
    asset,
    from: Number(accounts['chainAccountId']),
    to: Number(accounts['availableAccountId']),
    amount,
  });
  await client.query('commit');
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

async function settleAll({ intentIds }: SettleOrder): Promise<number> {
  const left = intentIds.values();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const id of left) {
        const client = await pool.connect();
        await settle(client, id);
        client.release();
      }
    }),
  );
  return intentIds.length / ((performance.now() - startedAt) / 1000);
}

process.on('message', (order: SettleOrder) => {
  void settleAll(order).then((perSecond) => process.send?.(perSecond));
});
