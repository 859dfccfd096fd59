import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { ASSIGN, CREATE, READ_INTENT } from './at-once-statements.ts';
import { cached, chainOf, priceRoundOf, type Row } from './bare-reads.ts';
import * as statements from './bare-statements.ts';
import { OPEN_INTENTS_MAX } from './open-intents.ts';
import type { Connections } from './pipelined.ts';
import { filled } from './templates.ts';

const COUNT_CACHED_MS = 5_000;
const LIFETIME_S = 3_600;

const openOf = cached(statements.COUNT_OPEN, COUNT_CACHED_MS);

/** What the claim and the kept answer of a write need. */
export interface WriteValues {
  readonly merchantId: string;
  readonly path: string;
  readonly key: string;
  readonly lock: bigint;
  readonly fingerprint: string;
  readonly requestId: string;
}

/** The key of every write: the bare server has found it before, like the service. */
const KEY_ID = 'key_bare';

/** Creates an intent in one statement, and returns its JSON. */
export async function createAtOnce(on: Connections, write: WriteValues, body: string): Promise<string> {
  const order = JSON.parse(body);
  const id = `pi_${randomUUID()}`;
  const { now, deadline } = CREATE.placeholders;
  const terms = {
    id,
    amountCents: order.amount_cents,
    currency: order.currency,
    network: order.network,
    token: order.token,
    reference: order.reference,
  };
  const json = JSON.stringify({
    ...objectOf({ ...terms, merchantId: write.merchantId, metadata: order.metadata, status: 'requires_action' }),
    created_at: now,
    updated_at: now,
    expires_at: deadline,
    completed_at: null,
  });
  const metadata = JSON.stringify(order.metadata);
  return written(
    on,
    filled(CREATE.statement, { ...write, ...terms, apiKeyId: KEY_ID, metadata, lifetime: LIFETIME_S, json }),
  );
}

/** Reads an intent and gives it an address in one statement more. Returns its JSON. */
export async function assignAtOnce(pool: Pool, write: WriteValues, id: string): Promise<string> {
  const { rows } = await pool.query<Row>(filled(READ_INTENT, { id, merchantId: write.merchantId }));
  const [intent = {}] = rows;
  const chain = await chainOf(pool, 'sandbox', String(intent['network']));
  const { open } = await openOf(pool, write.merchantId, 'sandbox', OPEN_INTENTS_MAX);
  if (Number(open) >= Number(OPEN_INTENTS_MAX)) throw new Error('Too many open intents.');
  const round = await priceRoundOf(pool, 'sandbox');
  const { address, now } = ASSIGN.placeholders;
  // The sandbox's price of a USDC is 1.
  const units = BigInt(Number(intent['amountCents'])) * 10n ** BigInt(Number(chain['decimals']) - 2);
  const json = JSON.stringify({
    ...objectOf(intent),
    token_decimals: chain['decimals'],
    crypto_amount: String(units),
    crypto_amount_decimal: String(units),
    token_price_cents: 100,
    address,
    metadata: { ...Object(intent['metadata']), blockchain_address: address },
    payment_uri: `ethereum:${String(chain['contract'])}@1/transfer?address=${address}&uint256=${units}`,
    created_at: intent['createdAt'],
    updated_at: now,
    expires_at: intent['expiresAt'],
    completed_at: null,
  });
  const { chain_ref: chainRef, contract, decimals } = chain;
  const quote = { chainRef, contract, decimals, priceRoundId: round['id'], price: '1', priceCents: 100, units };
  return written(pool, filled(ASSIGN.statement, { ...write, ...quote, id, json }));
}

/** Runs a write of one statement, and returns its JSON. */
export async function written(on: Connections, statement: ReturnType<typeof filled>): Promise<string> {
  const { rows } = await on.query(statement);
  const json = rows[0]?.['json'];
  if (typeof json !== 'string') throw new Error('The statement wrote nothing.');
  return json;
}

/** Returns the object of a new intent as the API shows it, with the same fields and size. */
function objectOf(intent: Row): Row {
  return {
    id: intent['id'],
    object: 'payment_intent',
    merchant_id: intent['merchantId'],
    environment: 'sandbox',
    amount_cents: intent['amountCents'],
    received_amount_cents: 0,
    remaining_amount_cents: intent['amountCents'],
    overpaid_amount_cents: 0,
    accepted_shortfall_cents: 0,
    currency: intent['currency'],
    settlement_currency: 'USDC',
    network: intent['network'],
    token: intent['token'],
    token_decimals: null,
    crypto_amount: null,
    crypto_amount_decimal: null,
    received_crypto_amount: '0',
    token_price_cents: null,
    address: null,
    status: intent['status'],
    failure_code: null,
    reference: intent['reference'],
    metadata: intent['metadata'],
    payments: [],
    payment_uri: null,
    checkout_url: null,
  };
}
