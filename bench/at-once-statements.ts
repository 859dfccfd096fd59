/**
 * The statements of the service for one create and one generate-address, built by the service's own code
 * (`same-statements.ts` compares them in PostgreSQL's log). Each runs as a named prepared statement, as in the service.
 */
import { place } from './compiled.ts';
import { named, type Template, template } from './templates.ts';
import type { PlannedStatement } from '../src/platform/sql/planned-write.ts';
import type { SqlText } from '../src/platform/sql/sql.ts';

const { writeAtOnce }: typeof import('../src/idempotency/kept-answers.sql.js') = await import(
  place('idempotency/kept-answers.sql.js')
);
const { DatabaseValues }: typeof import('../src/platform/sql/planned-write.js') = await import(
  place('platform/sql/planned-write.js')
);
const intents: typeof import('../src/payments/intents/payment-intents.sql.js') = await import(
  place('payments/intents/payment-intents.sql.js')
);
const { assigned, assignWithQuote }: typeof import('../src/payments/intents/address-assignment.sql.js') = await import(
  place('payments/intents/address-assignment.sql.js')
);
const { findCaller }: typeof import('../src/auth/api-keys.sql.js') = await import(place('auth/api-keys.sql.js'));

/** A placeholder for an address, of the length of one. */
const ADDRESS = `0x${'5e'.repeat(20)}`;

export const CALLER = template('caller_of_key', findCaller(named('hash')));

export const READ_INTENT = template(
  'read_intent',
  intents.readOwnIntent(named('id'), { merchantId: named('merchantId'), environment: 'sandbox' }),
);

/** A statement that claims, writes and keeps, with the placeholders that its JSON has. */
interface AtOnce<Placeholders> {
  readonly statement: Template;
  readonly placeholders: Placeholders;
}

/** Makes the template of a write of one statement. Values: merchantId, method, path, key, lock, fingerprint, requestId, json. */
export function atOnce(name: string, status: number, parts: PlannedStatement['parts'], json: SqlText): Template {
  const key = {
    merchantId: named('merchantId'),
    environment: 'sandbox' as const,
    method: 'POST',
    path: named('path'),
    idempotencyKey: named('key'),
  };
  const kept = { json, status, fingerprint: named('fingerprint'), requestId: named('requestId'), encrypted: false };
  return template(name, writeAtOnce(key, named('lock'), parts, kept));
}

function createStatement(): AtOnce<{ readonly now: string; readonly deadline: string }> {
  const { now, deadline } = intents.timesOfIntent(named('lifetime'));
  const values = new DatabaseValues();
  const placeholders = { now: values.time(now).toISOString(), deadline: values.time(deadline).toISOString() };
  const created = {
    id: named('id'),
    merchantId: named('merchantId'),
    environment: 'sandbox',
    status: 'requires_action',
    amountCents: named('amountCents'),
    currency: named('currency'),
    settlementCurrency: 'USDC',
    network: named('network'),
    token: named('token'),
    reference: named('reference'),
    metadata: named('metadata'),
    apiKeyId: named('apiKeyId'),
    requestId: named('requestId'),
  } as never;
  const parts: PlannedStatement['parts'] = (condition) => intents.insertIntent(created, { now, deadline }, condition);
  return { statement: atOnce('create', 201, parts, values.substituted(named('json'))), placeholders };
}

function assignStatement(): AtOnce<{ readonly address: string; readonly now: string }> {
  const values = new DatabaseValues();
  const placeholders = {
    address: values.text(ADDRESS, assigned.address),
    now: values.time(assigned.at).toISOString(),
  };
  const unassigned = {
    id: named('id'),
    status: 'requires_action',
    pool: { environment: 'sandbox', family: 'evm' },
  } as const;
  const quote = {
    chainRef: named('chainRef'),
    tokenContract: named('contract'),
    tokenDecimals: named('decimals'),
    priceRoundId: named('priceRoundId'),
    tokenPrice: named('price'),
    tokenPriceCents: named('priceCents'),
    cryptoAmount: named('units'),
  };
  const parts: PlannedStatement['parts'] = (condition) => assignWithQuote(unassigned, quote, condition);
  return { statement: atOnce('assign', 200, parts, values.substituted(named('json'))), placeholders };
}

export const CREATE = createStatement();
export const ASSIGN = assignStatement();
