import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

// The README's tour as a merchant's program: `node tour.ts <url> <api key>`. It uses nothing of this repository except the
// types in `api.ts`, which `openapi-typescript <url>/openapi.json -o api.ts` generates. Only the test generates that file,
// so the test checks this program's types, and the repository's tsconfig.json excludes it.

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${apiKey}` } });

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: { readonly error: { readonly code: string; readonly message: string } };
}

/** Returns the data of an answer. @throws Error with the code of a refusal. */
async function given<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(`${error?.error.code}: ${error?.error.message}`);
  return data;
}

/** Makes a retry of the request harmless. */
const once = () => ({ 'Idempotency-Key': randomUUID() });

const created = await given(
  api.POST('/v1/payment-intents', {
    params: { header: once() },
    body: { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC', reference: 'order-1001' },
  }),
);
const path = { id: created.id };
const addressed = await given(
  api.POST('/v1/payment-intents/{id}/generate-address', { params: { path, header: once() } }),
);
const order = await given(
  api.POST('/v1/sandbox/payment-intents/{id}/pay', { params: { path, header: once() }, body: {} }),
);

let intent = addressed;
while (intent.status !== 'completed') {
  await pause(100);
  intent = await given(api.GET('/v1/payment-intents/{id}', { params: { path } }));
}

const list = await given(
  api.GET('/v1/payment-intents', { params: { query: { status: 'completed', network: 'polygon', limit: 1 } } }),
);
const pockets = await given(api.GET('/v1/pockets'));
const pocket = pockets.data.find(({ network, token }) => network === 'polygon' && token === 'USDC');

// An event appears moments after its change is committed.
const listEvents = () => given(api.GET('/v1/events', { params: { query: { after_sequence: 0 } } }));
let events = await listEvents();
while (!events.data.some(({ type }) => type === 'payment_intent.completed')) {
  await pause(100);
  events = await listEvents();
}

const payout = { pocket_id: pocket?.id ?? '', amount_cents: 1000, destination: order.to, reference: 'payout-77' };
const preview = await given(
  api.POST('/v1/withdrawals', { params: { header: once() }, body: { ...payout, dry_run: true } }),
);
const ordered = await given(api.POST('/v1/withdrawals', { params: { header: once() }, body: payout }));
if (ordered.object !== 'withdrawal') throw new Error('That was no dry run.');
let withdrawal = await given(api.GET('/v1/withdrawals/{id}', { params: { path: { id: ordered.id } } }));
while (withdrawal.status === 'broadcasting') {
  await pause(100);
  withdrawal = await given(api.GET('/v1/withdrawals/{id}', { params: { path: { id: ordered.id } } }));
}

const refused = await api.POST('/v1/payment-intents', {
  params: { header: once() },
  body: { amount_cents: 0, currency: 'USD', network: 'polygon', token: 'USDC' },
});

console.log(
  JSON.stringify({
    created: created.status,
    toPay: addressed.crypto_amount_decimal,
    address: addressed.metadata['blockchain_address'],
    paidTo: order.to,
    received: intent.received_amount_cents,
    payments: intent.payments.map(({ status, late }) => ({ status, late })),
    listed: list.data.map(({ id }) => id === created.id),
    events: events.data.map(({ type }) => type),
    available: pocket?.available_cents,
    preview: preview.object,
    ordered: ordered.object,
    withdrawn: [withdrawal.status, withdrawal.reference, typeof withdrawal.tx_hash],
    refused: refused.error?.error.param,
  }),
);
