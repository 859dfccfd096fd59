import fc from 'fast-check';
import { createIntentBody, listIntentsQuery, type StatusFilter } from './payment-intent.schema.js';

const BODY = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' };

const accepts = (change: object): boolean => createIntentBody.safeParse({ ...BODY, ...change }).success;

describe('the body that creates an intent', () => {
  it.each(Object.keys(BODY))('needs %s [spec 4.1] [api]', (field) => {
    expect(accepts({ [field]: undefined })).toBe(false);
  });

  it('takes amounts from 1 to 10^12, whole numbers only [A-1]', () => {
    for (const amount of [1, 2500, 10 ** 12]) expect(accepts({ amount_cents: amount })).toBe(true);
    const wrong = [0, -1, 1.5, 10 ** 12 + 1, 2 ** 53, Infinity, NaN, '100', null, true, [], {}];
    for (const amount of wrong) expect(accepts({ amount_cents: amount })).toBe(false);
  });

  it('takes no number that is not a whole amount in range, whatever it is [A-1]', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.jsonValue()), (value) => {
        const legal = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10 ** 12;
        expect(accepts({ amount_cents: value })).toBe(legal);
      }),
    );
  });

  it.each(['merchant_id', 'status', 'id', 'received_amount_cents', 'crypto_amount', 'environment', 'expires_at'])(
    'refuses %s, which is not the merchant’s to set [A-4]',
    (field) => {
      expect(accepts({ [field]: 'x' })).toBe(false);
    },
  );

  it('refuses a network or currency that differs in case or by a space [A-7]', () => {
    const wrong = [{ network: 'Polygon' }, { network: ' polygon' }, { network: 'base' }, { currency: 'usd' }];
    for (const change of [...wrong, { currency: 'EUR' }, { token: '' }]) expect(accepts(change)).toBe(false);
  });

  it('keeps a reference as it is, up to 255 characters, but no NUL and no lone surrogate [A-6]', () => {
    for (const reference of ['', 'a'.repeat(255), "'; DROP TABLE", '‮שלום', '👩‍🚀']) {
      expect(createIntentBody.parse({ ...BODY, reference }).reference).toBe(reference);
    }
    for (const reference of ['a'.repeat(256), 'a\u0000b', '\ud800', 5]) expect(accepts({ reference })).toBe(false);
  });

  it('bounds metadata: 20 keys, 40 characters a key, 500 a value, nothing nested [api]', () => {
    const keys = (count: number): object => Object.fromEntries([...Array(count).keys()].map((i) => [`k${i}`, i]));
    for (const metadata of [{}, keys(20), { ['k'.repeat(40)]: 'v'.repeat(500) }, { a: true, b: -1.5 }]) {
      expect(accepts({ metadata })).toBe(true);
    }
    const wrong = [keys(21), { ['k'.repeat(41)]: 1 }, { '': 1 }, { a: 'v'.repeat(501) }, { a: {} }, { a: null }, []];
    for (const metadata of [...wrong, { blockchain_address: '0x1' }]) expect(accepts({ metadata })).toBe(false);
  });

  it('is not polluted by keys that name the prototype [A-5]', () => {
    const body: unknown = JSON.parse(`{"metadata": {"__proto__": {"polluted": true}, "constructor": "x"}}`);
    createIntentBody.safeParse({ ...BODY, ...(body as object) });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('takes a lifetime from five minutes to a week [api]', () => {
    for (const seconds of [300, 604_800]) expect(accepts({ expires_in_seconds: seconds })).toBe(true);
    for (const seconds of [299, 604_801, 300.5, '300']) expect(accepts({ expires_in_seconds: seconds })).toBe(false);
  });
});

describe('the query of the list', () => {
  const read = (query: object) => listIntentsQuery.safeParse(query);

  it('has 25 items unless it says otherwise, 1 to 100 [spec 4.5] [spec 8] [A-10]', () => {
    expect(read({}).data?.limit).toBe(25);
    for (const limit of ['1', '100']) expect(read({ limit }).data?.limit).toBe(Number(limit));
    for (const limit of ['0', '101', '1.5', '25abc', '', ['1', '2']]) expect(read({ limit }).success).toBe(false);
  });

  it('accepts the spellings of the spec and every emitted status, and no other [A-14] [spec 4.5]', () => {
    const ofTheSpec = ['requires_payment', 'processing', 'completed', 'expired', 'canceled'];
    const emitted = ['requires_action', 'processing', 'completed', 'failed', 'cancelled', 'expired'];
    const known = {
      requires_payment: true,
      processing: true,
      completed: true,
      expired: true,
      canceled: true,
      requires_action: true,
      failed: true,
      cancelled: true,
    } satisfies Record<StatusFilter, true>;
    expect(new Set(Object.keys(known))).toEqual(new Set([...ofTheSpec, ...emitted]));
    for (const status of Object.keys(known)) expect(read({ status }).success).toBe(true);
    for (const status of ['created', 'succeeded', 'COMPLETED', '']) expect(read({ status }).success).toBe(false);
  });

  it.each(['ethereum', 'polygon', 'solana', 'tron', 'bnb'])('filters by %s [spec 4.5]', (network) => {
    expect(read({ network }).success).toBe(true);
  });

  it('refuses an unknown parameter [A-4]', () => {
    expect(read({ statuss: 'completed' }).success).toBe(false);
  });
});
