import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.js';
import { newId } from '../../src/domain/ids.js';
import { type ErrorBody, ErrorBodySchema } from '../../src/http/error-body.js';
import { ERROR_CATALOGUE } from '../../src/http/error-catalogue.js';
import { addKey } from '../http/tenants.js';
import { assertDocumented, closedSchema } from '../support/documented.js';
import { readDocument, tableUnder } from '../support/markdown.js';
import { redoclyFindings } from '../support/redocly.js';
import { type Described, fieldsOf, undescribed } from '../support/descriptions.js';
import { newKey, startWorld, type World } from '../support/world.js';

interface Media {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Message {
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}
interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

let world: World;
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
let document: Described & { readonly paths: Paths; readonly webhooks: Paths };
let places: readonly Place[];
/** Keys with one scope each, of different operations. */
let payer: string;
let reader: string;
beforeAll(async () => {
  world = await startWorld();
  document = JSON.parse(await (await fetch(`${world.url}/openapi.json`)).text());
  places = placesOf(document.paths);
  payer = (await addKey(world, world.merchantId, 'sandbox', ['withdrawals:write'])).apiKey;
  reader = (await addKey(world, world.merchantId, 'sandbox', ['read'])).apiKey;
});
afterAll(() => world.stop());

function placesOf(paths: Paths): Place[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const mediaOf = (message: Message | undefined): Media | undefined => message?.content?.['application/json'];

/** The error codes of an operation, each with its status and its example. */
const documentedErrors = ({ operation }: Place) =>
  Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) =>
      Object.entries(mediaOf(response)?.examples ?? {}).map(([name, { value }]) => ({
        status: Number(status),
        name,
        value,
      })),
    );

describe('the document of the running service', () => {
  it('has no error and no warning under the recommended rules of redocly', async () => {
    expect(await redoclyFindings(document)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('describes every field of every object, and every parameter and header', () => {
    expect(undescribed(document)).toEqual([]);
    const bare = { type: 'object', properties: { id: { type: 'string' } } };
    expect(undescribed({ ...document, components: { schemas: { Bare: bare } } })).toContain('Bare.id');
  });

  it('says that values may be added to exactly the enumerations that docs/compatibility.md calls open', () => {
    const listed = tableUnder(readDocument('docs/compatibility.md'), 'Open enumerations');
    const open = fieldsOf({ components: document.components }).filter(({ description }) =>
      description?.includes('New values may be added.'),
    );
    const fields = listed.flatMap(([names = '']) => names.split(', '));
    expect(open.map(({ path }) => path).toSorted()).toEqual(fields.toSorted());
  });

  it('has an example of each code for every error answer of every operation, with the right status', () => {
    for (const place of places) {
      const errors = documentedErrors(place);
      const statuses = Object.keys(place.operation.responses).filter((status) => Number(status) >= 400);
      expect(statuses.length).toBeGreaterThanOrEqual(6);
      expect([...new Set(errors.map(({ status }) => String(status)))]).toEqual(statuses);
      for (const { status, name, value } of errors) {
        const { error } = ErrorBodySchema.parse(value);
        expect(error).toMatchObject({ code: name, type: ERROR_CATALOGUE[error.code].type });
        expect([place.path, name, ERROR_CATALOGUE[error.code].status]).toEqual([place.path, name, status]);
      }
    }
  });

  it('has no example of a request or an answer that its own schema refuses', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...closedSchema(document), $id: 'openapi' });
    let shown = 0;
    for (const { method, path, operation } of [...places, ...placesOf(document.webhooks)]) {
      for (const message of [operation.requestBody, ...Object.values(operation.responses)]) {
        const { schema, examples = {} } = mediaOf(message) ?? { schema: {} };
        for (const [name, { value }] of Object.entries(examples)) {
          const validate = ajv.compile(closedSchema(schema));
          expect([method, path, name, validate(value) || validate.errors]).toEqual([method, path, name, true]);
          shown += 1;
        }
      }
    }
    expect(shown).toBeGreaterThan(places.length * 8);
  });
});

type Request = { readonly headers: Readonly<Record<string, string>>; readonly body?: string; readonly query?: string };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const withoutKey = ({ 'Idempotency-Key': _key, ...headers }: Readonly<Record<string, string>>) => headers;

const ordersWithdrawal = ({ method, path }: Place): boolean => method === 'POST' && path === '/v1/withdrawals';

/** A mistake in requests to some operations, and the error code that it must get. */
const MISTAKES: readonly {
  readonly code: ErrorCode;
  readonly appliesTo: (place: Place) => boolean;
  readonly make: (good: Request, place: Place) => Request;
}[] = [
  { code: 'unauthorized', appliesTo: () => true, make: () => ({ headers: {} }) },
  {
    code: 'forbidden',
    appliesTo: () => true,
    make: ({ headers }, place) => ({
      headers: { ...headers, Authorization: `Bearer ${ordersWithdrawal(place) ? reader : payer}` },
    }),
  },
  { code: 'invalid_request', appliesTo: () => true, make: (good) => ({ ...good, query: '?expnad=1' }) },
  {
    code: 'not_found',
    // The example of a withdrawal names a pocket that does not exist.
    appliesTo: (place) => place.path.includes('{') || ordersWithdrawal(place),
    make: (good) => good,
  },
  {
    code: 'missing_idempotency_key',
    appliesTo: ({ method }) => method === 'POST',
    make: (good) => ({ ...good, headers: withoutKey(good.headers) }),
  },
  {
    code: 'invalid_idempotency_key',
    appliesTo: ({ method }) => method === 'POST',
    make: (good) => ({ ...good, headers: { ...good.headers, 'Idempotency-Key': 'a, b' } }),
  },
  {
    code: 'invalid_json',
    appliesTo: ({ method }) => method !== 'GET',
    make: ({ headers }) => ({ headers: { ...headers, ...JSON_TYPE }, body: '{' }),
  },
  {
    code: 'unsupported_media_type',
    appliesTo: ({ method }) => method !== 'GET',
    make: ({ headers }) => ({ headers: { ...headers, 'Content-Type': 'text/plain' }, body: 'x' }),
  },
  {
    code: 'payload_too_large',
    appliesTo: ({ method }) => method !== 'GET',
    make: ({ headers }) => ({ headers: { ...headers, ...JSON_TYPE }, body: ' '.repeat(65_537) }),
  },
];

describe('every operation', () => {
  it('answers each mistake with the code that the document lists for it, and lists no other of that kind', async () => {
    const kinds = new Set(MISTAKES.map(({ code }) => code));
    for (const place of places) {
      const answered: ErrorCode[] = [];
      for (const { code, appliesTo, make } of MISTAKES) {
        if (!appliesTo(place)) continue;
        answered.push(await codeOf(place, make(goodRequest(place), place)));
        expect([place.method, place.path, answered.at(-1)]).toEqual([place.method, place.path, code]);
      }
      const listed = documentedErrors(place).flatMap(({ name }) => ERROR_CODES.find((code) => code === name) ?? []);
      const ofTheseKinds = listed.filter((code) => kinds.has(code));
      expect([place.path, ofTheseKinds.toSorted()]).toEqual([place.path, answered.toSorted()]);
    }
  });
});

/** Returns a valid request, except that its id does not exist. */
function goodRequest({ method, operation }: Place): Request {
  const [example] = Object.values(mediaOf(operation.requestBody)?.examples ?? {});
  const headers = {
    Authorization: `Bearer ${world.apiKey}`,
    ...(method === 'POST' && { 'Idempotency-Key': newKey() }),
  };
  if (example === undefined) return { headers };
  return { headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(example.value) };
}

async function codeOf({ method, path }: Place, { headers, body, query = '' }: Request): Promise<ErrorCode> {
  const target = path.replaceAll(/\{\w+\}/g, () => newId('pi_'));
  const answer = await fetch(world.url + target + query, { method, headers, ...(body !== undefined && { body }) });
  const refusal: ErrorBody = JSON.parse(await answer.text());
  await assertDocumented(world.url, method, target, answer.status, refusal);
  return refusal.error.code;
}
