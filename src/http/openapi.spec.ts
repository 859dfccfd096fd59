import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type SampleApp, startSampleApp } from '../../test/http/sample-app.js';

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
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
    const args = [cli, 'lint', file, '--extends=recommended', '--format=json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', HOME: folder },
    }).catch((error: { stdout: string }) => error);
    await rm(folder, { recursive: true });
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });

  it('is OpenAPI 3.1 with a relative server, and holds the documented operations only', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: '/' }] });
    expect(Object.keys(document.paths)).toEqual(['/v1/things', '/v1/things/{id}', '/v1/things/{id}/poke']);
    expect(Object.keys(document.paths['/v1/things/{id}'] ?? {})).toEqual(['get']);
  });

  it('takes request and response schemas from the handlers, strict and with components', () => {
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
      Thing: { additionalProperties: false, required: ['id', 'amount_cents', 'kind', 'reference'] },
      ThingList: { properties: { data: { items: { $ref: '#/components/schemas/Thing' } } } },
    });
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
      400: ['missing_idempotency_key', 'invalid_idempotency_key', 'invalid_request'],
      401: ['unauthorized'],
      403: ['forbidden'],
      404: ['not_found'],
      409: ['idempotency_key_in_use', 'invalid_state_transition'],
      422: ['idempotency_key_reused'],
      429: ['rate_limited'],
      500: ['internal_error'],
      503: ['service_unavailable', 'price_unavailable'],
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
  it('names no foreign host, runs nothing inline, and loads only files that are there', async () => {
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

  it('leaves the pages beside it alone, and serves no page of its maker', async () => {
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
