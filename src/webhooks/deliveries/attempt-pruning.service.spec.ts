import { addDeliveries } from '../../../test/webhooks/many-deliveries.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { type WebhookReceiver, WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { AttemptPruning } from './attempt-pruning.service.js';
import { deleteOldAnswers, deleteOldAttempts } from './attempt-pruning.sql.js';
import { isAnswerPruned } from './delivery.presenter.js';

let world: WebhookWorld;
let receiver: WebhookReceiver;
let status: number;
let endpointId: string;
beforeEach(async () => {
  status = 500;
  world = await WebhookWorld.open();
  receiver = await world.receive((_request, response) => {
    response.writeHead(status, { 'X-Answer': 'kept' }).end('no');
  });
  endpointId = (await world.addEndpoint({ url: receiver.url })).id;
});
afterEach(() => world.close());

const RETENTION = { answerRetentionDays: 30, attemptRetentionDays: 180 };
const prune = (): Promise<void> =>
  new AttemptPruning(world.database, {
    webhooks: { backoffBaseMs: 1, timeoutMs: 1, allowPrivateTargets: true, inFlightPerEndpoint: 4, ...RETENTION },
  }).prune();

/** Makes all attempts older, with the guards of the database disabled. */
const age = (days: number, which = 'true'): Promise<void> =>
  world.home.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, `update delivery_attempt set started_at = started_at - interval '${days} days' where ${which}`);
  });

async function deadLetter(): Promise<string> {
  await world.publish();
  await world.exhaust();
  return (await world.deliveries()).at(-1)?.id ?? '';
}

const shown = (id: string) => world.main.reader.getWithAttempts({ environment: 'sandbox' }, id);

it('answers go after 30 days and keep their status, attempts go after 180 days, and neither before', async () => {
  const id = await deadLetter();
  await age(29);
  await prune();
  expect((await shown(id)).attempts).toHaveLength(6);
  expect((await world.attempts()).every(({ response_body: body }) => body === 'no')).toBe(true);
  await age(2, `number <= 2`);
  await prune();
  const { attempts } = await shown(id);
  expect(
    attempts.map((one) => [one.number, one.response_status, one.response_body, one.response_headers === null]),
  ).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, 500, number <= 2 ? null : 'no', number <= 2]));
  await age(148, `number <= 2`);
  await prune();
  expect((await shown(id)).attempts).toHaveLength(6);
  await age(2, `number <= 2`);
  await prune();
  expect((await shown(id)).attempts.map(({ number }) => number)).toEqual([3, 4, 5, 6]);
});

it('a dead letter without its attempts shows how it ended, and is sent again', async () => {
  const id = await deadLetter();
  await age(181);
  await prune();
  expect(await world.attempts()).toEqual([]);
  expect(await shown(id)).toMatchObject({
    status: 'dead_letter',
    attempt_count: 6,
    last_response_status: 500,
    last_fault: null,
    attempts: [],
  });
  status = 200;
  const again = await world.retry(id);
  await world.deliver();
  expect(await shown(again)).toMatchObject({ status: 'delivered', series: 2, attempts: [{ number: 1 }] });
  expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
});

it('a delivery that waits goes on with the next number when its attempts are no longer kept', async () => {
  await world.publish();
  await world.deliver();
  await age(181);
  await prune();
  await world.skipWait();
  await world.deliver();
  expect((await world.attempts()).map(({ number }) => number)).toEqual([2]);
});

it('only an answer that was there counts as pruned', async () => {
  status = 204;
  await world.publish();
  await world.deliver();
  const pruned = async (): Promise<boolean[]> => {
    const [id] = await world.query<{ id: string }>(`select id from delivery`);
    const { attempts } = await world.main.overview.history('sandbox', id?.id ?? '');
    return attempts.map(isAnswerPruned);
  };
  expect(await pruned()).toEqual([false]);
  await age(31);
  await prune();
  expect(await pruned()).toEqual([true]);
});

it('thousands go in batches, found along an index', async () => {
  await addDeliveries(world, { endpointId, count: 2_100, status: 'dead_letter', errorCode: 'timeout' });
  await addDeliveries(world, { endpointId, count: 2_100, status: 'dead_letter', responseStatus: 500 });
  await world.query(
    `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status, error_code,
       error_message, response_headers, response_body)
     select id, 1, now() - interval '200 days', 1, 1, last_response_status, last_error_code, last_error_code,
            case when last_error_code is null then '{}'::jsonb end, case when last_error_code is null then 'no' end
       from delivery`,
  );
  await query(world.home.owner, 'analyze delivery_attempt');
  for (const statement of [deleteOldAnswers(30, 10), deleteOldAttempts(180, 10)]) {
    const { scans } = await readTypedByGenericPlan(world.database, statement);
    expect(scans).toContain('Index Scan on delivery_attempt by delivery_attempt_age');
    expect(scans.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([]);
  }
  await prune();
  expect(await world.query(`select from delivery_attempt`)).toEqual([]);
});

describe('the database itself', () => {
  const REFUSED = 'attempts are kept, and so are answers of the last day';

  it('keeps young attempts and answers from the service and from the owner', async () => {
    await deadLetter();
    for (const statement of [
      `delete from delivery_attempt`,
      `update delivery_attempt set response_headers = null, response_body = null`,
    ]) {
      expect(await sqlRefusalOf(world.database, statement)).toBe(REFUSED);
      expect(await sqlRefusalOf(world.home.owner, statement)).toBe(REFUSED);
    }
  });

  it('lets an old answer go, but nothing in it be changed', async () => {
    await deadLetter();
    await age(31);
    expect(await sqlRefusalOf(world.database, `update delivery_attempt set response_body = 'yes'`)).toBe(REFUSED);
    expect(await sqlRefusalOf(world.database, `update delivery_attempt set response_status = 200`)).toBe(
      'permission denied for table delivery_attempt',
    );
    const both = `update delivery_attempt set response_headers = null, response_body = null, response_status = 200`;
    expect(await sqlRefusalOf(world.home.owner, both)).toBe(REFUSED);
  });
});
