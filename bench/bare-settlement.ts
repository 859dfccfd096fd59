/**
 * The baseline of settlement: only pg. It completes paid intents with the service's statements, one transaction each, as
 * many at once as a worker; it leaves out the queue, the fold, and the relay of the events. Run by `fork` with the
 * database's URL; takes `SettleOrder`s and answers with intents per second.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import * as statements from './bare-settlement-statements.ts';

const AT_ONCE = 16;
const RECHECK_SECONDS = [1, 30];

/** Intents to settle, each with one deposit that is final. */
export interface SettleOrder {
  readonly intentIds: readonly string[];
}

type Row = Record<string, unknown>;
type Statement = { readonly name: string; readonly text: string };

const pool = new Pool({ connectionString: process.argv[2], max: AT_ONCE });

async function one(client: PoolClient, statement: Statement, values: unknown[]): Promise<Row> {
  const { rows } = await client.query<Row>({ ...statement, values });
  return rows[0] ?? {};
}

async function settle(client: PoolClient, id: string): Promise<void> {
  await client.query('begin');
  const before = await one(client, statements.LOCK, [id]);
  await one(client, statements.UNMARK, [id]);
  const chain = await one(client, statements.PROGRESS, [before['chain_ref']]);
  const deposit = await one(client, statements.DEPOSITS, [[id]]);
  const { amount_cents: cents } = before;
  const outcome = ['completed', null, deposit['amount'], cents, 0, 0, true, false, ...RECHECK_SECONDS, false];
  const intent = await one(client, statements.COMPLETE, [id, ...outcome]);
  await book(client, intent, deposit);
  await one(client, statements.CREDIT, [[deposit['id']], [false], [true]]);
  const data = JSON.stringify(presented(intent, deposit, chain));
  for (const type of ['payment_intent.payment_received', 'payment_intent.completed']) {
    const { merchant_id: merchantId, environment } = intent;
    await one(client, statements.EVENT, [`evt_${randomUUID()}`, merchantId, environment, type, id, data, null]);
  }
  await client.query('commit');
}

/** Books from the chain's account to the merchant's. */
async function book(client: PoolClient, intent: Row, deposit: Row): Promise<void> {
  const { chain_ref: chainRef, token_contract: contract, merchant_id: merchantId, environment, network } = intent;
  await one(client, statements.TOKEN, [chainRef, contract]);
  const pocket = await one(client, statements.POCKET, [merchantId, environment, network, contract]);
  const asset = `${String(network)}:${String(contract)}`;
  await one(client, statements.OPEN_OWN_ACCOUNT, ['chain', environment, asset, null]);
  const chainAccount = await one(client, statements.OWN_ACCOUNT, ['chain', environment, asset]);
  const legs = [
    { account: Number(chainAccount['id']), amount: `-${String(deposit['amount'])}` },
    { account: Number(pocket['available_account_id']), amount: String(deposit['amount']) },
  ].toSorted((a, b) => a.account - b.account);
  const [entryId, reference] = [`ent_${randomUUID()}`, `deposit:${String(deposit['id'])}`];
  const hash = createHash('sha256')
    .update(JSON.stringify([reference, legs]))
    .digest('hex');
  await one(client, statements.ENTRY, [[entryId], [reference], ['deposit'], [hash]]);
  await one(client, statements.POSTINGS, [
    legs.map(() => entryId),
    legs.map(({ account }) => account),
    legs.map(() => asset),
    legs.map(() => environment),
    legs.map(({ amount }) => amount),
  ]);
}

/** Returns the intent as the event shows it, with the same fields and size. */
function presented(intent: Row, deposit: Row, chain: Row): Row {
  const { chain_ref: _chain, token_contract: contract, price_round_id: _round, token_price: _price, ...shown } = intent;
  const { metadata, tolerance_bps: _tolerance, due_at: _due, ...rest } = shown;
  const { address } = rest;
  const { id, from_address: sender, tx_hash: txHash, amount, status, block_height: height, seen_at: seenAt } = deposit;
  return {
    ...rest,
    object: 'payment_intent',
    amount_cents: Number(intent['amount_cents']),
    remaining_amount_cents: 0,
    crypto_amount_decimal: String(intent['crypto_amount']),
    metadata: { ...Object(metadata), blockchain_address: address },
    payments: [
      {
        id,
        tx_hash: txHash,
        from_address: sender,
        amount,
        amount_decimal: amount,
        status,
        confirmations: Number(chain['head_height']) - Number(height),
        required_confirmations: chain['confirmations'],
        block_number: Number(height),
        seen_at: seenAt,
        late: false,
      },
    ],
    payment_uri: `ethereum:${String(contract)}@1/transfer?address=${String(address)}&uint256=${String(amount)}`,
    checkout_url: null,
  };
}

async function run({ intentIds }: SettleOrder): Promise<number> {
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
  void run(order).then((perSecond) => process.send?.(perSecond));
});
