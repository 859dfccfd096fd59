/**
 * The baseline of webhook deliveries: signs and posts with undici and records one row each, as many at once as the
 * service; no leases, no fairness, no guard, no logs. Run by `fork` with the database's URL; takes `BareOrder`s and
 * answers with the deliveries per second.
 */
import { createHmac } from 'node:crypto';
import { Pool } from 'pg';
import { Agent, request } from 'undici';

const AT_ONCE = 64;

/** The deliveries to make: `bodies` in turn to the endpoints in turn. */
export interface BareOrder {
  readonly urls: readonly string[];
  readonly secret: string;
  readonly body: string;
  readonly count: number;
}

const pool = new Pool({ connectionString: process.argv[2], max: 20 });
const agent = new Agent();

const RECORD = {
  name: 'record',
  text: `insert into bare_delivery (status, duration_ms, signed_at) values ($1, $2, $3)`,
};

async function deliver(url: string, { secret, body }: BareOrder): Promise<void> {
  const startedAt = performance.now();
  const signedAt = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', secret).update(`${signedAt}.${body}`).digest('hex');
  const answer = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', 'x-webhook-signature': `t=${signedAt},v1=${digest}` },
    body,
  });
  await answer.body.text();
  await pool.query({ ...RECORD, values: [answer.statusCode, Math.round(performance.now() - startedAt), signedAt] });
}

async function run(order: BareOrder): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < order.count) await deliver(order.urls[next++ % order.urls.length] ?? '', order);
    }),
  );
  return order.count / ((performance.now() - startedAt) / 1000);
}

process.on('message', (order: BareOrder) => {
  void run(order).then((perSecond) => process.send?.(perSecond));
});
