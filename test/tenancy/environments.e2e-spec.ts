import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { SCOPES } from '../../src/auth/scopes.js';
import type { Environment } from '../../src/domain/network.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { pocketOf } from '../http/paying.js';
import { addKey, addMerchant } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import { BNB_FINALITY } from '../support/bnb-testnet.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { ENVIRONMENTS, startTwoEnvironments, type TwoEnvironments } from './two-environments.js';

/** Paths that answer without a key on purpose: documents and health, nothing about a merchant. */
const PUBLIC = /^\/(health\/(live|ready)|admin|(admin\/api\/)?openapi\.(json|yaml)|docs(\/.*)?|sandbox\/inbox\/:key)$/;

type OfEach<Value> = Readonly<Record<Environment, Value>>;

let world: TwoEnvironments;
let apis: OfEach<ApiClient>;
beforeAll(async () => {
  world = await startTwoEnvironments();
  const merchantId = await addMerchant(world, 'In both');
  const [sandbox, live] = await Promise.all(ENVIRONMENTS.map((one) => addKey(world, merchantId, one, SCOPES)));
  if (sandbox === undefined || live === undefined) throw new Error('There are two environments.');
  apis = { sandbox, live };
});
afterAll(() => world.stop());

/** Pays the amount of the intent on the chain of an environment, and makes it final there. */
async function pay(environment: Environment, intent: PaymentIntentObject): Promise<void> {
  const { controls } = world.chains[environment];
  await controls.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
  await controls.mine(BNB_FINALITY);
}

/** Waits until the head of the environment's chain has been recorded. */
async function untilRead(environment: Environment): Promise<void> {
  const { hash } = await world.chains[environment].node.head();
  await eventually(
    async () => {
      const rows = await query(
        world.database,
        `select from chain_cursor join chain on chain.id = chain_ref where environment = $1 and hash = $2`,
        [environment, hash],
      );
      return rows.length;
    },
    (seen) => seen === 1,
  );
}

const addressesOf = async (environment: Environment): Promise<string[]> => {
  const rows = await query<{ address: string }>(
    world.database,
    `select lower(address) as address from pool_address where environment = $1 order by derivation_index`,
    [environment],
  );
  return rows.map(({ address }) => address);
};

describe('sandbox and live in one process', () => {
  it('accept payments on the chain of their own environment, and ignore the other chain [B-21]', async () => {
    const intents: OfEach<PaymentIntentObject> = {
      sandbox: await intentWithAddress(apis.sandbox, { network: 'bnb' }),
      live: await intentWithAddress(apis.live, { network: 'bnb' }),
    };
    await pay('sandbox', intents.live);
    await pay('live', intents.sandbox);
    for (const environment of ENVIRONMENTS) await untilRead(environment);
    expect(await query(world.database, `select from deposit`)).toEqual([]);
    for (const environment of ENVIRONMENTS) {
      expect(await getIntent(apis[environment], intents[environment].id)).toEqual(intents[environment]);
      expect(await pocketOf(apis[environment], 'bnb')).toMatchObject({ available_cents: 0, pending_cents: 0 });
    }

    for (const environment of ENVIRONMENTS) await pay(environment, intents[environment]);
    for (const environment of ENVIRONMENTS) {
      const { payments } = await untilStatus(apis[environment], intents[environment].id, 'completed');
      expect(payments).toHaveLength(1);
      expect(await pocketOf(apis[environment], 'bnb')).toMatchObject({ environment, available_cents: 2500 });
    }
    await expectBooksInOrder(world.database);
  });

  it('have addresses of two seeds, with none in common at any place of the derivation [B-21]', async () => {
    const [sandbox, live] = [await addressesOf('sandbox'), await addressesOf('live')];
    expect(Math.min(sandbox.length, live.length)).toBeGreaterThan(30);
    expect(new Set([...sandbox, ...live]).size).toBe(sandbox.length + live.length);
  });

  it('query each chain only for its own contracts and addresses, and show each key its own chain [B-21]', async () => {
    for (const [own, other] of [
      ['sandbox', 'live'],
      ['live', 'sandbox'],
    ] as const) {
      const asked = world.chains[own].asked.join('\n').toLowerCase();
      const contractOf = (environment: Environment) => world.chains[environment].controls.chain.tokens['USDC']?.address;
      expect(asked).toContain(String(contractOf(own)));
      expect(asked).not.toContain(String(contractOf(other)));
      for (const address of await addressesOf(other)) expect(asked).not.toContain(address.slice(2));
      const { body } = await apis[own].get<{ data: { chain_id: string }[] }>('/v1/networks');
      expect(body.data.map((shown) => shown.chain_id)).toEqual([String(world.chains[own].controls.chain.chainId)]);
    }
  });
});

/** The routes of a document of the service. */
async function documentedRoutes(path: string): Promise<string[]> {
  const document: { readonly paths: Readonly<Record<string, object>> } = JSON.parse(
    await (await fetch(world.url + path)).text(),
  );
  return Object.entries(document.paths).flatMap(([route, item]) =>
    Object.keys(item).map((method) => `${method} ${route.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
}

describe('the served paths', () => {
  it('are the documented APIs behind keys and sessions, and a few others without data about merchants or internals [N-180]', async () => {
    const documented = new Set([
      ...(await documentedRoutes('/openapi.json')),
      ...(await documentedRoutes('/admin/api/openapi.json')),
    ]);
    const served = routesOf(world.service.get(HttpAdapterHost).httpAdapter.getInstance<Express>());
    const others = served.filter(({ method, path }) => !documented.has(`${method} ${path}`));
    expect(served.length - others.length).toBe(documented.size);
    expect(others.filter(({ path }) => !PUBLIC.test(path))).toEqual([]);
    for (const path of ['/metrics', '/admin/api/queues', '/debug', '/graphql', '/.env']) {
      expect((await fetch(world.url + path)).status).toBe(404);
    }
  });
});

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Returns every path that Express answers: routes, and everything mounted below a path. */
function routesOf(express: Express): Route[] {
  return express.router.stack.flatMap((layer) => {
    if (layer.route === undefined) {
      // `slash` marks middleware, which is mounted on every path and passes requests on.
      return Reflect.get(layer, 'slash') === true
        ? []
        : [{ method: 'all', path: String(Reflect.get(layer, 'rawPath')) }];
    }
    const { path, methods } = Object(layer.route);
    // A wildcard is middleware too, and so is `_all` on an exact path.
    const exact = [path]
      .flat()
      .map(String)
      .filter((one) => !one.includes('*'));
    const answered = Object.keys(methods).filter((method) => method !== '_all');
    return exact.flatMap((one) => answered.map((method) => ({ method, path: one })));
  });
}
