import type { BareOrder } from '../bare-webhooks.ts';
import { type Child, startChild } from '../child.ts';
import { newId } from '../compiled.ts';
import { median } from '../duel.ts';
import { makeEndpoints, type MerchantEndpoint } from '../merchant-endpoints.ts';
import type { Received } from '../receiver.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const RATIO_MIN = 0.6;
const ENDPOINTS = 100;

/** As large as the event of a completed intent. */
const BODY = JSON.stringify({
  id: newId('evt_'),
  event_type: 'ping',
  data: { object: 'ping', filler: 'x'.repeat(1_200) },
});

/** Measures deliveries per second to one receiver behind 100 endpoints, against a loop that signs, posts and records. */
export async function measureWebhookThroughput(
  stage: Stage,
  { pairs, deliveries }: { pairs: number; deliveries: number },
): Promise<Figure> {
  await stage.query(
    `create table bare_delivery (id bigint generated always as identity primary key, status int, duration_ms int,
       signed_at bigint)`,
  );
  await stage.query('create sequence bench_sequence start 1000000');
  const receiver = startChild('receiver.ts');
  const bare = startChild('bare-webhooks.ts', stage.databaseUrl);
  try {
    const { quick } = await receiver.next<{ quick: number }>();
    const url = `http://127.0.0.1:${quick}/hooks`;
    const endpoints = await makeEndpoints(stage, url, ENDPOINTS);
    const order: BareOrder = { urls: [url], secret: 'whsec_bench', body: BODY, count: deliveries };
    const rates = { service: [] as number[], bare: [] as number[] };
    for (let pair = 0; pair <= pairs; pair++) {
      const service = await serviceRound(stage, receiver, endpoints, deliveries);
      bare.send(order);
      const yardstick = await bare.next<number>();
      if (pair === 0) continue;
      rates.service.push(service);
      rates.bare.push(yardstick);
    }
    const ratio = median(rates.service.map((rate, index) => rate / (rates.bare[index] ?? Infinity)));
    return {
      name: 'webhook deliveries',
      measured: `${ratio.toFixed(2)} of a bare loop (${median(rates.service).toFixed(0)}/s : ${median(rates.bare).toFixed(0)}/s)`,
      limit: `>= ${RATIO_MIN}`,
      isMet: ratio >= RATIO_MIN,
    };
  } finally {
    await Promise.all([receiver.end(), bare.end()]);
  }
}

/** Makes this many deliveries due at once, over all endpoints. */
async function serviceRound(
  stage: Stage,
  receiver: Child,
  endpoints: readonly MerchantEndpoint[],
  count: number,
): Promise<number> {
  receiver.send({ count });
  await receiver.next();
  await stage.query(
    `with owed as (
       select n, endpoint.id as endpoint_id, endpoint.merchant_id, 'evt_' || md5(random()::text || n) as event_id
         from generate_series(1, $2::int) n
         join unnest($1::text[], $3::text[]) with ordinality as endpoint (id, merchant_id, place)
           on place = n % cardinality($1::text[]) + 1),
     event_row as (
       insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
       select event_id, merchant_id, 'sandbox', 'ping', 'bench', '{}', nextval('bench_sequence'), $4 from owed)
     insert into delivery (id, event_id, endpoint_id, status) select 'dlv' || event_id, event_id, endpoint_id, 'pending' from owed`,
    [endpoints.map(({ id }) => id), count, endpoints.map(({ merchantId }) => merchantId), BODY],
  );
  const { perSecond } = await receiver.next<Received>();
  return perSecond;
}
