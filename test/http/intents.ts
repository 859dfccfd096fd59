import type { IntentStatus } from '../../src/domain/intent-state.js';
import { newId } from '../../src/domain/ids.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { Database } from '../../src/platform/database/database.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';

/** A body that POST /v1/payment-intents takes: 25 US dollars in USDC on polygon. */
export const ORDER = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Creates an intent; `fields` replace or join those of `ORDER`. */
export async function createIntent(api: ApiClient, fields: Fields = {}): Promise<PaymentIntentObject> {
  const { status, body, text } = await api.post<PaymentIntentObject>('/v1/payment-intents', { ...ORDER, ...fields });
  if (status !== 201) throw new Error(`The intent was not created: ${text}`);
  return body;
}

/** Asks for the intent's address, with a key of its own unless one is given. */
export function generateAddress(
  api: ApiClient,
  id: string,
  idempotencyKey?: string,
): Promise<ApiAnswer<PaymentIntentObject>> {
  const path = `/v1/payment-intents/${id}/generate-address`;
  return api.post(path, undefined, idempotencyKey === undefined ? {} : { idempotencyKey });
}

/** Creates an intent and generates its address. */
export async function intentWithAddress(api: ApiClient, fields: Fields = {}): Promise<PaymentIntentObject> {
  const { id } = await createIntent(api, fields);
  const { status, body, text } = await generateAddress(api, id);
  if (status !== 200) throw new Error(`No address was generated: ${text}`);
  return body;
}

/** The intent as GET shows it now. */
export async function getIntent(api: ApiClient, id: string): Promise<PaymentIntentObject> {
  const { status, body, text } = await api.get<PaymentIntentObject>(`/v1/payment-intents/${id}`);
  if (status !== 200) throw new Error(`The intent was not shown: ${text}`);
  return body;
}

/** Waits until the intent has this status. */
export function untilStatus(
  api: ApiClient,
  id: string,
  status: PaymentIntentObject['status'],
): Promise<PaymentIntentObject> {
  return eventually(async () => {
    const intent = await getIntent(api, id);
    expect(intent.status).toBe(status);
    return intent;
  });
}

/** Where the customer pays to. */
export function addressOf({ metadata }: PaymentIntentObject): string {
  const address = metadata['blockchain_address'];
  if (typeof address !== 'string') throw new Error('The intent has no address.');
  return address;
}

/** The updates that bring an intent to a status, with the columns that the database requires. */
const WAYS: Readonly<Partial<Record<IntentStatus, readonly string[]>>> = {
  processing: [`status = 'processing'`],
  completed: [`status = 'processing'`, `status = 'completed', completed_at = now()`],
  failed: [`status = 'processing'`, `status = 'failed', failure_code = 'underpaid', received_amount_cents = 1`],
  expired: [`status = 'expired'`],
  cancelled: [`status = 'cancelled'`],
};

/** Names of the auditor's rules that an intent breaks which `putInStatus` completed. */
export const COMPLETED_BY_SQL = ['completed_intents_are_paid', 'completions_are_told_once'];

/** Brings a new intent into a status by SQL, for what a status allows and refuses; no payment takes part. */
export async function putInStatus(database: Database, id: string, status: IntentStatus): Promise<void> {
  for (const step of WAYS[status] ?? []) {
    await query(database, `update payment_intent set ${step} where id = $1`, [id]);
  }
}

/** Copies an intent that has no address yet, with some of its columns replaced, and returns the copy's id. */
export async function copyIntent(database: Database, id: string, columns: Fields = {}): Promise<string> {
  const copy = newId('pi_');
  await query(
    database,
    `insert into payment_intent
     select (jsonb_populate_record(original, $2::jsonb)).* from payment_intent original where id = $1`,
    [id, JSON.stringify({ ...columns, id: copy })],
  );
  return copy;
}
