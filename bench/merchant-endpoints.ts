import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { hashApiKey, newApiKey, newId } from './compiled.ts';
import type { Stage } from './stage.ts';

/** The most endpoints of a merchant. */
const PER_MERCHANT = 50;
const created = z.object({ id: z.string() });

/** A webhook endpoint with the key of its merchant. */
export interface MerchantEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly apiKey: string;
}

/** Creates endpoints that post to `url`, with as many new merchants as needed. */
export async function makeEndpoints(stage: Stage, url: string, count: number): Promise<MerchantEndpoint[]> {
  const endpoints: MerchantEndpoint[] = [];
  let owner = await newMerchant(stage);
  for (let n = 0; n < count; n++) {
    if (n > 0 && n % PER_MERCHANT === 0) owner = await newMerchant(stage);
    const answer = await post(stage, owner.apiKey, '/v1/webhook-endpoints', { url, event_types: ['ping'] });
    endpoints.push({ ...owner, ...created.parse(answer) });
  }
  return endpoints;
}

/** Posts as the merchant; throws on anything but success. */
export async function post(stage: Stage, apiKey: string, path: string, body: object): Promise<unknown> {
  return ask(stage, 'POST', apiKey, path, body);
}

/** Enables or disables an endpoint as its merchant. */
export async function setEnabled(stage: Stage, { id, apiKey }: MerchantEndpoint, enabled: boolean): Promise<void> {
  await ask(stage, 'PATCH', apiKey, `/v1/webhook-endpoints/${id}`, { enabled });
}

async function ask(stage: Stage, method: string, apiKey: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(stage.service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function newMerchant(stage: Stage): Promise<Pick<MerchantEndpoint, 'merchantId' | 'apiKey'>> {
  const merchantId = newId('mer_');
  const apiKey = newApiKey('sandbox');
  await stage.query(`insert into merchant (id, name) values ($1, 'Bench')`, [merchantId]);
  await stage.query(
    `insert into api_key (id, merchant_id, environment, key_hash, last4, scopes)
     values ($1, $2, 'sandbox', $3, $4, '{read,webhooks:write}')`,
    [newId('key_'), merchantId, hashApiKey(apiKey), apiKey.slice(-4)],
  );
  return { merchantId, apiKey };
}
