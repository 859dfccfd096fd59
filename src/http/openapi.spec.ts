import { runInThisContext } from 'node:vm';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type SampleApp, startSampleApp } from '../../test/http/sample-app.js';
import { redoclyFindings } from '../../test/support/redocly.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

let sample: SampleApp;
let document: OpenAPIObject;
beforeAll(async () => {
  sample = await startSampleApp();
  document = JSON.parse(await textAt('/openapi.json'));
});
afterAll(() => sample.close());

const textAt = (path: string): Promise<string> => fetch(sample.url + path).then((res) => res.text());

describe('the document', () => {
  it('has no error and no warning under the recommended rules of redocly', async () => {
    expect(await redoclyFindings(document)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('is OpenAPI 3.1 with a relative server, and holds the documented operations only', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: '/' }] });
    expect(Object.keys(document.paths)).toEqual(['/v1/things', '/v1/things/{id}', '/v1/things/{id}/poke']);
    expect(Object.keys(document.paths['/v1/things/{id}'] ?? {})).toEqual(['get']);
  });

  it('describes the bearer token as an API key that is secret with either prefix', () => {
    expect(document.components?.securitySchemes?.['bearer']).toEqual({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description: expect.stringMatching(/`sk_sb_\.\.\.`.*`pk_live_\.\.\.`.*Both are secret/),
    });
  });

  it('allows null for optional fields of a request only', () => {
    expect(document.components?.schemas?.['CreateThing']).toMatchObject({
      required: ['amount_cents'],
      properties: {
        amount_cents: { type: 'integer' },
        kind: { type: ['string', 'null'], enum: ['small', 'large', null], default: 'small' },
        reference: { type: ['string', 'null'], maxLength: 5 },
        metadata: { type: ['object', 'null'] },
        event_types: { type: ['array', 'null'] },
      },
    });
    const [limit] = document.paths['/v1/things']?.get?.parameters ?? [];
    expect(limit).toMatchObject({ name: 'limit', schema: { type: 'integer' } });
  });

  it('takes request and response schemas from the handlers, with components: requests closed, answers open', () => {
    const create = document.paths['/v1/things']?.post;
    expect(create?.requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/CreateThing' },
          examples: { example: { value: { amount_cents: 100 } } },
        },
      },
    });
    expect(document.components?.schemas).toMatchObject({
      CreateThing: { additionalProperties: false, required: ['amount_cents'] },
      Thing: { required: ['id', 'amount_cents', 'kind', 'reference'] },
      ThingList: { properties: { data: { items: { $ref: '#/components/schemas/Thing' } } } },
    });
    for (const answer of ['Thing', 'ThingList', 'ThingCompletedEvent', 'Error']) {
      expect([answer, document.components?.schemas?.[answer]]).toEqual([
        answer,
        expect.not.objectContaining({ additionalProperties: false }),
      ]);
    }
  });

  it('writes query parameters as the JSON they stand for', () => {
    const parameters = document.paths['/v1/things']?.get?.parameters;
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ type: 'integer', minimum: 1, maximum: 100, default: 25 }),
      }),
    );
  });

  it('declares the idempotency key as required for every POST, and for nothing else', () => {
    const key = { $ref: '#/components/parameters/IdempotencyKey' };
    expect(document.paths['/v1/things']?.post?.parameters).toContainEqual(key);
    expect(document.paths['/v1/things/{id}/poke']?.post?.parameters).toContainEqual(key);
    expect(document.paths['/v1/things']?.get?.parameters).not.toContainEqual(key);
    expect(document.components?.parameters?.['IdempotencyKey']).toMatchObject({ required: true });
  });

  it('names every error code of an operation as an example of its status', () => {
    const responses = document.paths['/v1/things/{id}/poke']?.post?.responses ?? {};
    const codes = Object.entries(responses).map(([status, response]) => [
      status,
      Object.keys(
        (response !== undefined && 'content' in response && response.content?.['application/json']?.examples) || {},
      ),
    ]);
    expect(Object.fromEntries(codes)).toEqual({
      200: ['example'],
      400: ['missing_idempotency_key', 'invalid_idempotency_key', 'invalid_json', 'invalid_request'],
      401: ['unauthorized'],
      403: ['forbidden'],
      404: ['not_found'],
      409: ['idempotency_key_in_use', 'invalid_state_transition'],
      413: ['payload_too_large'],
      415: ['unsupported_media_type'],
      422: ['idempotency_key_reused'],
      429: ['rate_limited'],
      500: ['internal_error'],
      503: ['service_unavailable', 'price_unavailable'],
    });
  });

  it('has realistic examples for each operation', () => {
    const messageOf = (operation: Operation | undefined, status: number, code: string): unknown => {
      const response = operation?.responses?.[status];
      const media = response !== undefined && 'content' in response ? response.content?.['application/json'] : null;
      const example = media?.examples?.[code];
      return example !== undefined && 'value' in example ? example.value : null;
    };
    const { '/v1/things': things, '/v1/things/{id}': thing, '/v1/things/{id}/poke': poke } = document.paths;
    expect(messageOf(things?.post, 400, 'invalid_request')).toMatchObject({
      error: { code: 'invalid_request', message: 'amount_cents is required.', param: 'amount_cents' },
    });
    expect(messageOf(things?.get, 400, 'invalid_request')).toMatchObject({ error: { param: 'limit' } });
    expect(messageOf(thing?.get, 404, 'not_found')).toMatchObject({ error: { message: 'No such thing.' } });
    expect(messageOf(poke?.post, 409, 'invalid_state_transition')).toMatchObject({
      error: { type: 'conflict_error', message: 'The thing is in a state that does not allow this.' },
    });
  });

  it('describes the events in its webhooks section', () => {
    expect(document.webhooks?.['thing.completed']?.post).toMatchObject({
      security: [],
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ThingCompletedEvent' } } },
      },
    });
  });

  it('is served as YAML too', async () => {
    expect(await textAt('/openapi.yaml')).toMatch(/^openapi: 3\.1\.0$/m);
  });
});

describe('Swagger UI', () => {
  it('names no other host, runs nothing inline, and loads only existing files', async () => {
    const res = await fetch(`${sample.url}/docs`);
    const page = await res.text();
    expect(page).not.toMatch(/https?:|<style|style=|<script>|\son\w+=/);
    const policy = res.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';style-src 'self'");
    for (const [, file = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const asset = await fetch(`${sample.url}/${file}`);
      expect({ file, status: asset.status }).toEqual({ file, status: 200 });
      await asset.arrayBuffer();
    }
  });

  it('fills in the idempotency key by itself, which its copy of the document makes optional', async () => {
    const init = await textAt('/docs/swagger-ui-init.js');
    expect(init).toMatch(/"name": "Idempotency-Key",\s+"in": "header",\s+"required": false/);
    expect(init).toContain('"validatorUrl": null');
    const source = /"requestInterceptor": ([^]+?)\n {2}}\n};/.exec(init)?.[1] ?? '';
    const interceptor: (request: object) => unknown = runInThisContext(`(${source})`);
    const filled = { headers: { 'Idempotency-Key': expect.stringMatching(/^[0-9a-f-]{36}$/) } };
    expect(interceptor({ method: 'POST', headers: {} })).toMatchObject(filled);
    expect(interceptor({ method: 'POST', headers: { 'Idempotency-Key': 'mine' } })).toMatchObject({
      headers: { 'Idempotency-Key': 'mine' },
    });
    expect(interceptor({ method: 'GET', headers: {} })).toEqual({ method: 'GET', headers: {} });
  });

  it('does not hide the pages beside it, and serves no page of its vendor', async () => {
    expect(await textAt('/docs/errors')).toBe('every code explained');
    expect((await fetch(`${sample.url}/docs/`, { redirect: 'manual' })).headers.get('location')).toBe('/docs');
    for (const file of ['swagger-initializer.js', 'oauth2-redirect.html', 'webhooks', 'LICENSE']) {
      const res = await fetch(`${sample.url}/docs/${file}`);
      expect({ file, status: res.status }).toEqual({ file, status: 404 });
      await res.arrayBuffer();
    }
    expect((await fetch(`${sample.url}/docs-json`)).status).toBe(404);
  });
});
