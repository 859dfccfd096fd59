/**
 * The baseline: only node:http and pg. It answers create, generate-address and withdrawals with the service's statements
 * and objects, and leaves out validation, errors, logs, metrics and wake-ups. Under `/in-transaction` they take a
 * transaction with a statement for each step, as most services would. Run by `fork` with the database's URL; sends its port.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'pg';
import { assignAtOnce, createAtOnce, type WriteValues } from './bare-at-once.ts';
import { cached, chainOf, type Effect, one, priceRoundOf, type Row, run } from './bare-reads.ts';
import { withdraw, withdrawAtOnce } from './bare-withdrawal.ts';
import { CLAIM, KEEP } from './bare-withdrawal-statements.ts';
import * as statements from './bare-statements.ts';
import { OPEN_INTENTS_MAX } from './open-intents.ts';
import { pipelined } from './pipelined.ts';

const COUNT_CACHED_MS = 5_000;
const LIFETIME_S = 3_600;

const [, , connectionString = ''] = process.argv;
const pool = new Pool({ connectionString, max: 20 });
const shared = await pipelined(connectionString);

const callerOf = cached(statements.CALLER);
const IN_TRANSACTION = '/in-transaction';
const openOf = cached(statements.COUNT_OPEN, COUNT_CACHED_MS);

const sha256 = (content: string): Buffer => createHash('sha256').update(content).digest();

/** Returns the merchant of a request. */
async function merchantOf(req: IncomingMessage): Promise<string> {
  const key = String(req.headers.authorization).slice('Bearer '.length);
  const { merchant_id: merchantId } = await callerOf(pool, sha256(key).toString('hex'));
  return String(merchantId);
}

function writeValues(req: IncomingMessage, path: string, merchantId: string, body: string): WriteValues {
  const key = String(req.headers['idempotency-key']);
  const lock = sha256([merchantId, 'sandbox', 'POST', path, key].join('\0')).readBigInt64BE();
  return { merchantId, path, key, lock, fingerprint: sha256(body).toString('hex'), requestId: randomUUID() };
}

/** One write: the claim of its key, its effect, the kept answer. */
async function write(
  req: IncomingMessage,
  path: string,
  body: string,
  status: number,
  effect: Effect,
): Promise<string> {
  const merchantId = await merchantOf(req);
  const client = await pool.connect();
  try {
    await client.query('begin');
    const values = writeValues(req, path, merchantId, body);
    await run(client, CLAIM, { ...values });
    const json = JSON.stringify(await effect(client, merchantId));
    await run(client, KEEP, { ...values, status, body: Buffer.from(json) });
    await client.query('commit');
    return json;
  } finally {
    client.release();
  }
}

/** One write of one statement. */
async function writeAtOnce(req: IncomingMessage, path: string, body: string): Promise<string> {
  const values = writeValues(req, path, await merchantOf(req), body);
  const { isWithdrawal, id, action } = partsOf(path);
  if (isWithdrawal) return withdrawAtOnce(pool, values, body);
  return action === undefined ? createAtOnce(shared, values, body) : assignAtOnce(pool, values, id);
}

function effectOf(path: string, body: string): Effect {
  const { isWithdrawal, id, action } = partsOf(path);
  if (isWithdrawal) return withdraw(body);
  return action === undefined ? create(body) : generateAddress(id);
}

function partsOf(path: string) {
  const [, , resource, id = '', action] = path.split('/');
  return { isWithdrawal: resource === 'withdrawals', id, action };
}

function create(body: string): Effect {
  const { amount_cents: cents, currency, network, token, reference, metadata } = JSON.parse(body);
  return async (client, merchantId) =>
    presented(
      await one(client, statements.INSERT_INTENT, [
        `pi_${randomUUID()}`,
        merchantId,
        'sandbox',
        cents,
        currency,
        token,
        network,
        token,
        reference,
        JSON.stringify(metadata),
        LIFETIME_S,
      ]),
    );
}

function generateAddress(id: string): Effect {
  return async (client, merchantId) => {
    const intent = await one(client, statements.LOCK_INTENT, [id, merchantId, 'sandbox']);
    const chain = await chainOf(client, 'sandbox', String(intent['network']));
    const { open } = await openOf(client, merchantId, 'sandbox', OPEN_INTENTS_MAX);
    if (Number(open) >= Number(OPEN_INTENTS_MAX)) throw new Error('Too many open intents.');
    const round = await priceRoundOf(client, 'sandbox');
    const { address } = await one(client, statements.ASSIGN_ADDRESS, ['sandbox', 'evm', id]);
    // The sandbox's price of a USDC is 1.
    const units = BigInt(String(intent['amount_cents'])) * 10n ** BigInt(Number(chain['decimals']) - 2);
    const { chain_ref: chainRef, contract, decimals } = chain;
    const quote = [chainRef, contract, decimals, round['id'], '1', 100, units, address];
    return presented(await one(client, statements.LOCK_QUOTE, [id, ...quote]));
  };
}

/** Returns the intent as the API shows it, with the same fields and size. */
function presented(row: Row): Row {
  const { chain_ref: _chain, token_contract: contract, price_round_id: _round, token_price: _price, ...shown } = row;
  const { metadata, address, tolerance_bps: _tolerance, due_at: _due, ...rest } = shown;
  const uri = `ethereum:${String(contract)}@1/transfer?address=${String(address)}&uint256=${String(row['crypto_amount'])}`;
  return {
    ...rest,
    object: 'payment_intent',
    amount_cents: Number(row['amount_cents']),
    remaining_amount_cents: Number(row['amount_cents']) - Number(row['received_amount_cents']),
    crypto_amount_decimal: address === null ? null : String(row['crypto_amount']),
    metadata: { ...Object(metadata), ...(address !== null && { blockchain_address: address }) },
    payments: [],
    payment_uri: address === null ? null : uri,
    checkout_url: null,
  };
}

async function readText(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) text += String(chunk);
  return text;
}

function statusOf(path: string): number {
  const { isWithdrawal, action } = partsOf(path);
  if (isWithdrawal) return 202;
  return action === undefined ? 201 : 200;
}

async function answerOf(req: IncomingMessage, path: string, body: string): Promise<readonly [number, string]> {
  const status = statusOf(path);
  if (!String(req.url).startsWith(IN_TRANSACTION)) return [status, await writeAtOnce(req, path, body)];
  return [status, await write(req, path, body, status, effectOf(path, body))];
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readText(req);
  const [status, json] = await answerOf(req, String(req.url).replace(IN_TRANSACTION, ''), body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }).end(json);
}

const server = createServer((req, res) => {
  answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
