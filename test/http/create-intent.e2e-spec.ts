import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { createIntent, getIntent, ORDER } from './intents.js';
import { refusalOf } from './refusal.js';
import { query } from '../support/sql.js';
import { newKey, startWorld, type World } from '../support/world.js';

const PATH = '/v1/payment-intents';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SECOND = 1000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const refused = async (body: unknown) => refusalOf(await world.api.post(PATH, body));
/** `ORDER` with one field written by hand, so that it need not be what JSON.stringify writes. */
const written = (field: string, json: string): string =>
  `${JSON.stringify({ ...ORDER, [field]: undefined }).slice(0, -1)},"${field}":${json}}`;
const numberOfIntents = async (): Promise<number> => {
  const [row] = await query<{ count: string }>(world.database, `select count(*) from payment_intent`);
  return Number(row?.count);
};

describe('a new payment intent [spec 2.1 id, merchant_id, amount_cents, currency, network, token]', () => {
  it('answers 201 with the whole object, waiting for its address [spec 4.1 response] [spec 3.1 creation] [spec 2.1 status, created_at, updated_at]', async () => {
    const order = { ...ORDER, settlement_currency: 'USDC', reference: 'order-1042' };
    const { status, headers, body } = await world.api.post<PaymentIntentObject>(PATH, order);
    expect(status).toBe(201);
    expect(headers.get('request-id')).toMatch(/^req_/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      ...order,
      id: expect.stringMatching(/^pi_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'payment_intent',
      merchant_id: world.merchantId,
      environment: 'sandbox',
      received_amount_cents: 0,
      remaining_amount_cents: 2500,
      overpaid_amount_cents: 0,
      accepted_shortfall_cents: 0,
      token_decimals: null,
      address: null,
      crypto_amount: null,
      crypto_amount_decimal: null,
      received_crypto_amount: '0',
      token_price_cents: null,
      status: 'requires_action',
      failure_code: null,
      metadata: {},
      payments: [],
      payment_uri: null,
      checkout_url: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: body.created_at,
      expires_at: new Date(Date.parse(body.created_at) + 3600 * SECOND).toISOString(),
      completed_at: null,
    });
  });

  it('is what GET shows afterwards, and ids sort by time [spec 4.4 response] [spec 2.1 id]', async () => {
    const first = await createIntent(world.api);
    const second = await createIntent(world.api);
    expect(await getIntent(world.api, first.id)).toEqual(first);
    expect(first.id < second.id).toBe(true);
  });

  it('needs neither reference nor settlement currency: they default to null and USDC [spec 4.1 reference, settlement_currency] [spec 2.1 reference, settlement_currency]', async () => {
    expect(await createIntent(world.api)).toMatchObject({ reference: null, settlement_currency: 'USDC' });
  });

  it('takes null in an optional field for an absent one, and yet as another body of the same idempotency key', async () => {
    const nulls = { settlement_currency: null, reference: null, metadata: null, expires_in_seconds: null };
    const options = { idempotencyKey: newKey() };
    const { status, body } = await world.api.post<PaymentIntentObject>(PATH, { ...ORDER, ...nulls }, options);
    const absent = { reference: null, settlement_currency: 'USDC', metadata: {} };
    expect({ status, body }).toMatchObject({ status: 201, body: absent });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(3600 * SECOND);
    expect(refusalOf(await world.api.post(PATH, ORDER, options))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    for (const param of Object.keys(ORDER)) {
      expect(await refused({ ...ORDER, [param]: null })).toEqual({ status: 400, code: 'invalid_request', param });
    }
  });

  it('has no event', async () => {
    const { id } = await createIntent(world.api);
    expect(await query(world.database, `select from event where resource_id = $1`, [id])).toEqual([]);
  });

  it.each([
    ['the least amount', { amount_cents: 1 }],
    ['the greatest amount', { amount_cents: 10 ** 12 }],
    ['a reference of 255 characters beyond the first plane', { reference: '😀'.repeat(255) }],
    [
      'a reference with quotes, SQL and marks of direction',
      { reference: `'; DROP TABLE payment_intent; -- \u202e"\\` },
    ],
    ['an empty reference', { reference: '' }],
    ['metadata of every kind', { metadata: { order: 'A-1', count: 3, ratio: 0.5, gift: true, 'ключ 🔑': '' } }],
    ['a name that is special to JavaScript', { metadata: { constructor: 'x', toString: 'y' } }],
    [
      'metadata at its limits',
      {
        metadata: Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [String(n).padStart(40, 'k'), 'v'.repeat(500)]),
        ),
      },
    ],
  ])('takes %s and returns it unchanged [spec 4.1 amount_cents, reference] [A-1] [A-6]', async (_what, fields) => {
    const created = await createIntent(world.api, fields);
    expect(created).toMatchObject(fields);
    expect(await getIntent(world.api, created.id)).toEqual(created);
  });

  it.each([300, 604_800])(
    'lives for the %d seconds that were asked for [spec 8 intent lifetime] [spec 2.1 expires_at]',
    async (seconds) => {
      const intent = await createIntent(world.api, { expires_in_seconds: seconds });
      expect(Date.parse(intent.expires_at) - Date.parse(intent.created_at)).toBe(seconds * SECOND);
    },
  );
});

describe('a body that is refused', () => {
  let before: number;
  beforeAll(async () => {
    before = await numberOfIntents();
  });
  afterAll(async () => {
    expect(await numberOfIntents()).toBe(before);
  });

  it.each(['0', '-1', '1.5', '"100"', 'null', 'true', '[]', '{}', '1000000000001', '1e3', '9007199254740993', '1e400'])(
    'amount_cents %s: 400, and the field is named [A-1]',
    async (json) => {
      expect(await refused(written('amount_cents', json))).toEqual({
        status: 400,
        code: 'invalid_request',
        param: 'amount_cents',
      });
    },
  );

  it.each(Object.keys(ORDER))(
    'without %s: 400, and the field is named [spec 4.1 amount_cents, currency, network, token]',
    async (field) => {
      const refusal = await refused({ ...ORDER, [field]: undefined });
      expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: field });
    },
  );

  it.each([
    ['currency', 'EUR'],
    ['currency', 'usd'],
    ['settlement_currency', 'EUR'],
    ['settlement_currency', 'usdc'],
    ['settlement_currency', 'USDT'],
    ['network', 'solana'],
    ['network', 'tron'],
    ['network', 'bnb'],
    ['network', 'Polygon'],
    ['network', ' polygon'],
    ['network', 'dogecoin'],
    ['token', 'ETH'],
    ['token', 'BNB'],
    ['token', 'pol'],
    ['token', 'native'],
    ['token', 'usdc'],
    ['token', 'USDC '],
    ['token', ''],
    ['reference', 'a\0b'],
    ['reference', 7],
    ['expires_in_seconds', 299],
    ['expires_in_seconds', 604_801],
    ['expires_in_seconds', 300.5],
    ['expires_in_seconds', '300'],
    ['metadata', []],
    ['metadata', 'order'],
    ['metadata', { blockchain_address: '0x00' }],
  ])(
    '%s %j: 400, and the field is named [spec 4.1 currency, settlement_currency, network, token] [A-6] [A-7]',
    async (field, value) => {
      const refusal = await refused({ ...ORDER, [field]: value });
      expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: field });
    },
  );

  it('a reference of 256 characters, or metadata with 21 names: 400 [A-6]', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key${n}`, n]));
    for (const fields of [{ reference: 'x'.repeat(256) }, { metadata }]) {
      const [param] = Object.keys(fields);
      expect(await refused({ ...ORDER, ...fields })).toEqual({ status: 400, code: 'invalid_request', param });
    }
  });

  it.each([
    ['a name of 41 characters', { ['k'.repeat(41)]: 'v' }, `metadata.${'k'.repeat(41)}`],
    ['a value of 501 characters', { order: 'v'.repeat(501) }, 'metadata.order'],
    ['an object', { order: {} }, 'metadata.order'],
    ['a list', { order: ['a'] }, 'metadata.order'],
    ['null', { order: null }, 'metadata.order'],
    ['a NUL', { order: '\0' }, 'metadata.order'],
  ])('metadata with %s: 400, and the place is named', async (_what, metadata, param) => {
    expect(await refused({ ...ORDER, metadata })).toEqual({ status: 400, code: 'invalid_request', param });
  });

  it('half of a surrogate pair: 400 [A-6]', async () => {
    const refusal = await refused(written('reference', '"\\ud83d"'));
    expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: 'reference' });
  });

  it('a field of the answer that is not one of the request: 400, and the field is named [A-4]', async () => {
    const { id } = await createIntent(world.api);
    before += 1;
    const shown = Object.entries(await getIntent(world.api, id));
    const settable = new Set([...Object.keys(ORDER), 'settlement_currency', 'reference', 'metadata']);
    const foreign = shown.filter(([name]) => !settable.has(name));
    expect(foreign.length).toBeGreaterThan(15);
    for (const [name, value] of foreign) {
      const refusal = await refused({ ...ORDER, [name]: value });
      expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: name });
    }
  });

  it('several faults are all listed [A-4]', async () => {
    const { body } = await world.api.post<{ error: object }>(PATH, {
      ...ORDER,
      amount_cents: 0,
      currency: 'EUR',
      x: 1,
    });
    expect(body.error).toMatchObject({
      errors: [{ param: 'amount_cents' }, { param: 'currency' }, { param: 'x' }],
    });
    expect(body.error).not.toHaveProperty('param');
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    '%s as a field: 400, and nothing is polluted [A-5]',
    async (name) => {
      const refusal = await refused(written(name, '{"polluted":true}'));
      expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: name });
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    },
  );

  it('__proto__ in metadata: 400, since it could not be given back [A-5]', async () => {
    const refusal = await refused(written('metadata', '{"__proto__":"x"}'));
    expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: 'metadata.__proto__' });
  });

  it('a field given twice: 400, and the field is named [A-3]', async () => {
    const refusal = await refused(
      '{"amount_cents":1,"amount_cents":9,"currency":"USD","network":"polygon","token":"USDC"}',
    );
    expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: 'amount_cents' });
  });

  it.each(['NaN', '{"amount_cents":NaN}', '{', '\ufeff{}', '{} {}'])(
    'text that is no JSON (%j): 400 invalid_json',
    async (text) => {
      expect(await refused(text)).toEqual({ status: 400, code: 'invalid_json' });
    },
  );

  it.each(['[]', '"text"', 'null', '7'])('JSON that is no object (%s): 400', async (text) => {
    expect(await refused(text)).toEqual({ status: 400, code: 'invalid_request' });
  });

  it('another content type, or an encoding: 415 [spec 4 Content-Type] [A-8]', async () => {
    for (const [name, value] of [
      ['Content-Type', 'text/plain'],
      ['Content-Encoding', 'gzip'],
    ] as const) {
      const answer = await world.api.post(PATH, ORDER, { headers: { [name]: value } });
      expect(refusalOf(answer)).toEqual({ status: 415, code: 'unsupported_media_type' });
    }
  });

  it('more than 64 KiB: 413; deeper than 20: 400 [A-9]', async () => {
    expect(await refused({ ...ORDER, reference: 'x'.repeat(65_536) })).toEqual({
      status: 413,
      code: 'payload_too_large',
    });
    const deep = await refused(written('metadata', '['.repeat(30) + ']'.repeat(30)));
    expect(deep).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('a query parameter: 400, and it is named', async () => {
    const answer = await world.api.post(`${PATH}?expand=all`, ORDER);
    expect(refusalOf(answer)).toEqual({ status: 400, code: 'invalid_request', param: 'expand' });
  });
});
