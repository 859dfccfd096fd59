import type { INestApplication, Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { isConsoleApi } from './api-request.js';
import type { ErrorCode } from '../domain/errors.js';
import { ENVIRONMENTS } from '../domain/network.js';
import { ErrorBodySchema } from './error-body.js';
import { commonErrors, errorResponses, subjectOf } from './openapi-errors.js';
import {
  ERRORS_EXTENSION,
  NOTES_EXTENSION,
  type OperationNotes,
  PERMISSION_EXTENSION,
} from './openapi-operation.decorator.js';
import { SchemaConverter } from './openapi-schema.js';
import { addWebhooks, type WebhookTable, WEBHOOKS_TAG } from './openapi-webhooks.js';

/** Parts of both documents that do not come from the controllers. */
export interface OpenApiOptions {
  readonly version: string;
  /** A sentence for each tag of the merchants' document. Operations use these names. */
  readonly tags: Readonly<Record<string, string>>;
  readonly webhooks: WebhookTable;
  /** The same for the console's document. */
  readonly consoleTags?: Readonly<Record<string, string>>;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [NOTES_EXTENSION]?: OperationNotes;
  [ERRORS_EXTENSION]?: readonly ErrorCode[];
  [PERMISSION_EXTENSION]?: { readonly step_up: boolean };
};

const IDEMPOTENCY_KEY = '#/components/parameters/IdempotencyKey';

const ENVIRONMENT = {
  name: 'environment',
  in: 'path' as const,
  required: true,
  description: 'The environment whose objects are meant.',
  schema: { type: 'string', enum: [...ENVIRONMENTS] },
};

const SHARED_COMPONENTS = {
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header' as const,
      required: true,
      description: 'A unique string of 1 to 255 printable ASCII characters, such as a UUID. Repeat it to retry safely.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: '6b3a9c3e-0d4f-4c59-9d53-0d6f1c1c2a77',
    },
  },
  headers: {
    RequestId: { description: 'The id of this request. Quote it to support.', schema: { type: 'string' } },
    RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer' } },
  },
};

/** Builds the OpenAPI 3.1 document of the merchants' API: every handler that carries `ApiOperationDocs`. */
export function openApiDocument(app: INestApplication, options: OpenApiOptions): OpenAPIObject {
  const converter = new SchemaConverter();
  const document = documentOf(app, merchantsDocument(options), converter, (path) => !isConsoleApi(path));
  document.components = { ...document.components, parameters: SHARED_COMPONENTS.parameters };
  addWebhooks(document, options.webhooks, converter);
  return document;
}

/** Builds the document of the console's own API, which has other callers and other errors. */
export function consoleDocument(app: INestApplication, options: OpenApiOptions): OpenAPIObject {
  return documentOf(app, baseOfConsole(options), new SchemaConverter(), isConsoleApi);
}

function documentOf(
  app: INestApplication,
  base: Omit<OpenAPIObject, 'paths'>,
  converter: SchemaConverter,
  belongs: (path: string) => boolean,
): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, base, {
    include: modulesWith(app, belongs),
    autoTagControllers: false,
    standardSchemaConverter: (schema, { schemaType }) =>
      schema instanceof z.ZodType ? converter.convert(schema, schemaType) : undefined,
  });
  keepDocumentedOperations(document);
  for (const [path, item] of Object.entries(document.paths)) {
    const operations: [string, Operation][] = Object.entries(item);
    for (const [method, operation] of operations) completeOperation(operation, method, path, document.components);
  }
  const errorSchema = converter.convertForDocument(ErrorBodySchema, 'output').components;
  document.components = {
    ...document.components,
    headers: SHARED_COMPONENTS.headers,
    schemas: { ...document.components?.schemas, ...errorSchema },
  };
  return document;
}

/** The modules whose controllers have such paths, so that each document has the schemas of its own operations only. */
function modulesWith(app: INestApplication, belongs: (path: string) => boolean): Type[] {
  const paths = (controller: unknown): string[] => [Reflect.getMetadata(PATH_METADATA, Object(controller))].flat();
  return [...app.get(ModulesContainer, { strict: false }).values()]
    .filter(({ controllers }) =>
      [...controllers.values()].some(({ metatype }) => paths(metatype).some((path) => belongs(`/${path}`))),
    )
    .map(({ metatype }) => metatype);
}

const started = ({ version }: OpenApiOptions, title: string, description: string): DocumentBuilder =>
  new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setDescription(description)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/');

function merchantsDocument(options: OpenApiOptions): Omit<OpenAPIObject, 'paths'> {
  const description = 'Crypto payment collection: payment intents, pockets, withdrawals and signed webhooks.';
  const builder = started(options, 'Coffer', description)
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description:
        'An API key: `sk_sb_...` for the sandbox, `pk_live_...` for live. Both are secret: despite its prefix, ' +
        'a `pk_live_` key must never appear in a browser, an app or a repository.',
    })
    .addSecurityRequirements('bearer');
  for (const [name, text] of Object.entries(options.tags)) builder.addTag(name, text);
  // Added last: Swagger UI shows the tag here, and its webhooks below all operations.
  return builder.addTag(WEBHOOKS_TAG, 'Events sent to your endpoints: the webhooks below.').build();
}

function baseOfConsole(options: OpenApiOptions): Omit<OpenAPIObject, 'paths'> {
  const description = 'The API of the admin console. It is for its pages alone, and may change with every version.';
  const builder = started(options, 'Coffer console', description)
    .addCookieAuth(
      '__Host-coffer',
      {
        type: 'apiKey',
        in: 'cookie',
        description:
          'The session of a member of staff. Over http the cookie is `coffer_<port>`. Requests that change something also ' +
          'need the header `X-Coffer-Console: 1` and come from the address of BASE_URL.',
      },
      'session',
    )
    .addSecurityRequirements('session');
  for (const [name, text] of Object.entries(options.consoleTags ?? {})) builder.addTag(name, text);
  return builder.build();
}

/** Removes operations without `ApiOperationDocs`, such as pages: they are not part of the public API. */
function keepDocumentedOperations(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    const documented = Object.entries(item).filter(([, operation]) => NOTES_EXTENSION in Object(operation));
    if (documented.length === 0) delete document.paths[path];
    else document.paths[path] = Object.fromEntries(documented);
  }
}

/** Adds the parts that follow from the kind of operation: idempotency key, request example, error responses, request id. */
function completeOperation(
  operation: Operation,
  method: string,
  path: string,
  components: OpenAPIObject['components'],
): void {
  const notes = operation[NOTES_EXTENSION] ?? { public: false };
  const hasKey = method === 'post' && path.startsWith('/v1/');
  if (hasKey) operation.parameters = [...(operation.parameters ?? []), { $ref: IDEMPOTENCY_KEY }];
  if (notes.public) operation.security = [];
  if (notes.requestExample !== undefined) addRequestExample(operation, notes.requestExample);
  const subject = subjectOf(operation, path, components?.schemas);
  if (isConsoleApi(path)) declareEnvironment(operation, path);
  describePathParameters(operation, subject.noun);
  const codes = [
    ...commonErrors({
      public: notes.public,
      ofConsole: isConsoleApi(path),
      needsStepUp: operation[PERMISSION_EXTENSION]?.step_up === true,
      hasKey,
      readsBody: method !== 'get',
      hasPathParameter: path.includes('{'),
    }),
    ...(operation[ERRORS_EXTENSION] ?? []),
  ];
  operation.responses = {
    ...operation.responses,
    ...errorResponses(codes, subject),
  };
  for (const response of Object.values(operation.responses)) {
    if (response === undefined || '$ref' in response) continue;
    response.headers = { 'Request-Id': { $ref: '#/components/headers/RequestId' }, ...response.headers };
  }
  delete operation[NOTES_EXTENSION];
  delete operation[ERRORS_EXTENSION];
}

/** Adds the environment of the path where a handler has it from its caller, and reads no parameter itself. */
function declareEnvironment(operation: Operation, path: string): void {
  const parameters = operation.parameters ?? [];
  const isDeclared = parameters.some((one) => 'name' in one && one.name === ENVIRONMENT.name);
  if (path.includes(`{${ENVIRONMENT.name}}`) && !isDeclared) operation.parameters = [ENVIRONMENT, ...parameters];
}

function describePathParameters({ parameters = [] }: Operation, noun: string): void {
  for (const parameter of parameters) {
    if ('in' in parameter && parameter.in === 'path') parameter.description ??= `Identifier of the ${noun}.`;
  }
}

function addRequestExample(operation: Operation, value: unknown): void {
  if (operation.requestBody === undefined || '$ref' in operation.requestBody) return;
  for (const media of Object.values(operation.requestBody.content)) {
    media.examples = { example: { summary: operation.summary ?? '', value } };
  }
}
