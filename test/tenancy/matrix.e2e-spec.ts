import { SCOPES } from '../../src/auth/scopes.js';
import type { IdPrefix } from '../../src/domain/id-source.js';
import { newId } from '../../src/domain/ids.js';
import { addMerchant, addKey } from '../http/tenants.js';
import { refusalOf } from '../http/refusal.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { type ApiOperation, operationsOf } from './operations.js';
import { newOwner, type Owner, ownedBy, shownBy } from './possessions.js';
import { tenantRows, untilIdle } from './tenant-rows.js';
import { startTwoEnvironments, type TwoEnvironments } from './two-environments.js';

/** Queries that only narrow a list, so that a foreign id finds nothing. */
const FILTERS: ReadonlySet<string> = new Set(['/v1/deliveries endpoint_id', '/v1/deliveries event_id']);
const EMPTY_PAGE = { object: 'list', has_more: false, next_cursor: null, data: [] };
const NOT_FOUND = { status: 404, code: 'not_found' };

let world: TwoEnvironments;
let operations: readonly ApiOperation[];
/** Both environments of one merchant. */
let callers: readonly Owner[];
let stranger: Readonly<Record<'sandbox' | 'live', Owner>>;

beforeAll(async () => {
  world = await startTwoEnvironments();
  operations = operationsOf(JSON.parse(await (await fetch(`${world.url}/openapi.json`)).text()));
  const [own, other] = [await addMerchant(world, 'Caller'), await addMerchant(world, 'Stranger')];
  const [sandbox, live, strangeSandbox, strangeLive] = await Promise.all([
    newOwner(world, own, 'sandbox'),
    newOwner(world, own, 'live'),
    newOwner(world, other, 'sandbox'),
    newOwner(world, other, 'live'),
  ]);
  callers = [sandbox, live];
  stranger = { sandbox: strangeSandbox, live: strangeLive };
  await untilIdle(world.database);
});
afterAll(() => world.stop());

/** The owners of ids that the caller must not see: other merchants, and itself in the other environment. */
const othersOf = (caller: Owner): Owner[] => [
  stranger[caller.environment],
  ...callers.filter((owner) => owner !== caller),
  ...Object.values(stranger).filter(({ environment }) => environment !== caller.environment),
];

/** Returns an id with the same prefix that does not exist. */
function unknownLike(id: string): string {
  const [, prefix] = /^([a-z]+_)[0-9a-z]{26}$/.exec(id) ?? [];
  if (prefix === undefined) throw new Error(`${id} is no id of ours.`);
  return newId(prefix as IdPrefix);
}

interface Filling {
  /** Collection -> the id of it in the path. */
  readonly idOf: (collection: string) => string;
  readonly query?: string;
  readonly body?: unknown;
}

/** Calls an operation, with a new idempotency key if it takes one, and by default with the body of the document. */
function send(api: ApiClient, operation: ApiOperation, { idOf, query = '', body = operation.body }: Filling) {
  const path = operation.path.replaceAll(
    /([^/]+)\/\{\w+\}/g,
    (_, collection: string) => `${collection}/${idOf(collection)}`,
  );
  const takesBody = !['GET', 'DELETE'].includes(operation.method) && body !== undefined;
  return api.call(operation.method, `${path}${query}`, takesBody ? { body } : {});
}

/** The comparable part of an answer: everything except the id of the request and the time. */
const comparable = ({ status, headers, text }: ApiAnswer) => ({
  status,
  headers: [...headers].filter(([name]) => !['request-id', 'date'].includes(name)),
  text: text.replaceAll(/req_[0-9a-z]{26}/g, 'req'),
});

/** Runs the attempts, and fails when any row of any tenant has changed meanwhile. */
async function changingNothing(attempts: () => Promise<void>): Promise<void> {
  const before = await tenantRows(world.database);
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['payment_intent', 'webhook_endpoint', 'posting', 'event']),
  );
  await attempts();
  expect(await tenantRows(world.database)).toEqual(before);
}

describe('ids of another merchant, and of the other environment', () => {
  it('are 404 in the path of every operation, in the words for an id that does not exist, and change nothing [B-20] [B-21]', async () => {
    const withIds = operations.filter(({ inPath }) => inPath.length > 0);
    expect(withIds.length).toBeGreaterThanOrEqual(12);
    await changingNothing(async () => {
      for (const caller of callers) {
        for (const operation of withIds) {
          for (const { collection } of operation.inPath) {
            const attempt = (id: string): Promise<ApiAnswer> =>
              send(caller.api, operation, { idOf: (other) => (other === collection ? id : ownedBy(caller, other)) });
            const unknown = await attempt(unknownLike(ownedBy(caller, collection)));
            expect([operation, refusalOf(unknown)]).toEqual([operation, NOT_FOUND]);
            const [nearest, ...rest] = othersOf(caller);
            const foreign = [...(nearest?.owns.values() ?? []), ...rest.map((owner) => ownedBy(owner, collection))];
            for (const id of foreign) {
              expect([operation.method, operation.path, id, comparable(await attempt(id))]).toEqual([
                operation.method,
                operation.path,
                id,
                comparable(unknown),
              ]);
            }
          }
        }
      }
    });
  });

  it('are refused in every query and body like an id that does not exist, and change nothing [B-20] [B-21]', async () => {
    const places = operations.flatMap((operation) => [
      ...operation.inQuery.map((reference) => ({ operation, reference, isInBody: false })),
      ...operation.inBody.map((reference) => ({ operation, reference, isInBody: true })),
    ]);
    expect(places.length).toBeGreaterThanOrEqual(5);
    await changingNothing(async () => {
      for (const caller of callers) {
        for (const { operation, reference, isInBody } of places) {
          const { name, collection } = reference;
          const attempt = (id: string): Promise<ApiAnswer> =>
            send(caller.api, operation, {
              idOf: (other) => ownedBy(caller, other),
              ...(isInBody ? { body: withField(operation.body, name, id) } : { query: `?${name}=${id}` }),
            });
          const unknown = await attempt(unknownLike(ownedBy(caller, collection)));
          if (FILTERS.has(`${operation.path} ${name}`))
            expect(unknown).toMatchObject({ status: 200, body: EMPTY_PAGE });
          else expect(refusalOf(unknown)).toMatchObject(isInBody ? NOT_FOUND : { status: 400, param: name });
          for (const owner of othersOf(caller)) {
            expect(comparable(await attempt(ownedBy(owner, collection)))).toEqual(comparable(unknown));
          }
          if (!isInBody) expect((await attempt(ownedBy(caller, collection))).status).toBe(200);
        }
      }
    });
  });
});

describe('references, addresses and transactions of another merchant, and of the other environment', () => {
  /** Values that no row has, by the name of the filter. */
  const UNKNOWN: Readonly<Record<string, string>> = {
    reference: 'of no object',
    address: `0x${'12'.repeat(20)}`,
    destination: `0x${'12'.repeat(20)}`,
    tx_hash: `0x${'12'.repeat(32)}`,
  };
  /** Withdrawals are never sent here. */
  const isNeverFound = (collection: string, name: string): boolean =>
    collection === 'withdrawals' && name === 'tx_hash';

  it('find nothing, with the answer for a value that no row has, while the own ones are found [B-20] [B-21]', async () => {
    const lookups = operations.flatMap(({ path, lookups: names }) => names.map((name) => ({ path, name })));
    expect(lookups).toHaveLength(6);
    for (const caller of callers) {
      for (const { path, name } of lookups) {
        const collection = path.split('/').at(-1) ?? '';
        const attempt = (value = ''): Promise<ApiAnswer> =>
          caller.api.get(`${path}?${name}=${encodeURIComponent(value)}`);
        const unknown = await attempt(UNKNOWN[name]);
        expect(unknown).toMatchObject({ status: 200, body: { has_more: false, next_cursor: null, data: [] } });
        for (const owner of othersOf(caller)) {
          expect(comparable(await attempt(shownBy(owner, collection, name)))).toEqual(comparable(unknown));
        }
        const { body } = await attempt(shownBy(caller, collection, name));
        expect([path, name, body['data']]).toEqual([
          path,
          name,
          isNeverFound(collection, name) ? [] : [expect.objectContaining({ merchant_id: caller.merchantId })],
        ]);
      }
    }
  });
});

/** Returns the body with another value in the field of this name, at any depth. */
function withField(body: unknown, field: string, value: string): unknown {
  const before = JSON.stringify(body);
  const after = JSON.stringify(body, (key, kept: unknown) => (key === field ? value : kept));
  if (after === before) throw new Error(`The example ${before} has no ${field} to fill in.`);
  return JSON.parse(after);
}

describe('a key', () => {
  it('is needed on every operation, and exactly one scope opens it: 401 without, 403 with any other [B-27]', async () => {
    const { merchantId } = stranger.sandbox;
    const keys = await Promise.all(SCOPES.map((scope) => addKey(world, merchantId, 'sandbox', [scope])));
    for (const operation of operations) {
      const attempt = (api: ApiClient): Promise<ApiAnswer> =>
        send(api, operation, { idOf: () => newId('pi_'), body: {} });
      const keyless = await fetch(world.url + operation.path, { method: operation.method });
      expect([operation.path, keyless.status]).toEqual([operation.path, 401]);
      const answers = await Promise.all(keys.map(attempt));
      const opening = SCOPES.filter((_scope, n) => answers[n]?.status !== 403);
      expect([operation.path, opening]).toEqual([operation.path, [expect.any(String)]]);
    }
  });

  it("reaches its owner's own objects with the same requests, so the ids above were valid", async () => {
    // Operations that end an object come last.
    const order = ['GET', 'POST', 'PATCH', 'DELETE'];
    const sorted = operations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    for (const caller of callers) {
      for (const operation of sorted.filter(({ inPath }) => inPath.length > 0)) {
        const { status } = await send(caller.api, operation, { idOf: (collection) => ownedBy(caller, collection) });
        const isMissing = caller.environment === 'live' && operation.path.startsWith('/v1/sandbox/');
        expect([operation.method, operation.path, [400, 404].includes(status)]).toEqual([
          operation.method,
          operation.path,
          isMissing,
        ]);
      }
    }
  });
});
