import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { z } from 'zod';
import { median } from '../duel.ts';
import type { Figure } from '../report.ts';
import type { ServiceProcess } from '../service-process.ts';
import { watchHeads } from '../watch-heads.ts';

const MEDIAN_MAX_MS = 500;
const DELIVERED_WITHIN_MS = 60_000;

const event = z.object({
  type: z.string(),
  data: z.object({
    id: z.string(),
    network: z.string(),
    payments: z.array(z.object({ block_number: z.number(), required_confirmations: z.number() })),
  }),
});
/** Networks whose development chains announce new blocks. */
const ANNOUNCING = ['ethereum', 'polygon', 'bnb'];

const created = z.object({ id: z.string() });

type Data = z.infer<typeof event>['data'];
/** Called for each completed intent, with the time at which its webhook arrived. */
type OnCompleted = (data: Data, at: number) => void;

/** Measures the time from the block that makes a payment final to the webhook at its receiver, on these networks at once. */
export async function measureWebhookLatency(service: ServiceProcess, payments: number): Promise<Figure> {
  const arrivals = new Map<string, (arrival: { data: Data; at: number }) => void>();
  const receiver = await receive((data, at) => arrivals.get(data.id)?.({ data, at }));
  await post(service, '/v1/webhook-endpoints', { url: receiver.url, event_types: ['payment_intent.completed'] });
  const latencies: number[] = [];
  let left = payments;
  const lane = async (network: string, rpcUrl: string): Promise<void> => {
    const heads = await watchHeads(rpcUrl);
    while (left-- > 0) {
      const id = await pay(service, network);
      const { promise, resolve } = Promise.withResolvers<{ data: Data; at: number }>();
      arrivals.set(id, resolve);
      const { data, at } = await inTime(promise, id);
      const [payment] = data.payments;
      if (payment === undefined) throw new Error(`${id} completed without a payment.`);
      latencies.push(at - (await heads.seenAt(payment.block_number + payment.required_confirmations)));
    }
    heads.close();
  };
  const chains = Object.entries(service.chains).filter(([network]) => ANNOUNCING.includes(network));
  await Promise.all(chains.map(([network, rpcUrl]) => lane(network, rpcUrl)));
  receiver.server.close();
  const middle = median(latencies);
  return {
    name: 'final block to delivered webhook',
    measured: `${middle.toFixed(0)} ms at the median of ${latencies.length} (${Math.max(...latencies).toFixed(0)} ms at most)`,
    limit: `< ${MEDIAN_MAX_MS} ms`,
    isMet: middle < MEDIAN_MAX_MS,
  };
}

/** A merchant's server: records the webhooks of completed intents, and answers at once. */
async function receive(onCompleted: OnCompleted): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    const at = performance.now();
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.on('end', () => {
      res.end();
      const { type, data } = event.parse(JSON.parse(text));
      if (type === 'payment_intent.completed') onCompleted(data, at);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks` };
}

/** Creates an intent, generates its address and pays it; the final block comes later. */
async function pay(service: ServiceProcess, network: string): Promise<string> {
  const order = { amount_cents: 2_500, currency: 'USD', network, token: 'USDC' };
  const { id } = created.parse(await post(service, '/v1/payment-intents', order));
  await post(service, `/v1/payment-intents/${id}/generate-address`, {});
  await post(service, `/v1/sandbox/payment-intents/${id}/pay`, {});
  return id;
}

async function post(service: ServiceProcess, path: string, body: object): Promise<unknown> {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function inTime<T>(promise: Promise<T>, id: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`There was no webhook for ${id}.`)), DELIVERED_WITHIN_MS);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
