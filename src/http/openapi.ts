import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.js';
import { ErrorBodySchema } from './error-body.js';
import { commonErrors, errorResponses, subjectOf } from './openapi-errors.js';
import { ERRORS_EXTENSION, NOTES_EXTENSION, type OperationNotes } from './openapi-operation.decorator.js';
import { SchemaConverter } from './openapi-schema.js';
import { addWebhooks, type WebhookTable, WEBHOOKS_TAG } from './openapi-webhooks.js';

/** Parts of the document that do not come from the controllers. */
export interface OpenApiOptions {
  readonly version: string;
  /** A sentence for each tag. Operations use these names. */
  readonly tags: Readonly<Record<string, string>>;
  readonly webhooks: WebhookTable;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [NOTES_EXTENSION]?: OperationNotes;
  [ERRORS_EXTENSION]?: readonly ErrorCode[];
};

const IDEMPOTENCY_KEY = '#/components/parameters/IdempotencyKey';

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

/** Builds the OpenAPI 3.1 document of every handler that carries `ApiOperationDocs`. */
export function openApiDocument(app: INestApplication, options: OpenApiOptions): OpenAPIObject {
  const converter = new SchemaConverter();
  const document = SwaggerModule.createDocument(app, baseDocument(options), {
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
    ...SHARED_COMPONENTS,
    schemas: { ...document.components?.schemas, ...errorSchema },
  };
  addWebhooks(document, options.webhooks, converter);
  return document;
}

function baseDocument(options: OpenApiOptions): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Coffer')
    .setDescription('Crypto payment collection: payment intents, pockets, withdrawals and signed webhooks.')
    .setVersion(options.version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description:
        'An API key: `sk_sb_...` for the sandbox, `pk_live_...` for live. Both are secret: despite its prefix, ' +
        'a `pk_live_` key must never appear in a browser, an app or a repository.',
    })
    .addSecurityRequirements('bearer');
  for (const [name, description] of Object.entries(options.tags)) builder.addTag(name, description);
  // Added last: Swagger UI shows the tag here, and its webhooks below all operations.
  return builder.addTag(WEBHOOKS_TAG, 'Events sent to your endpoints: the webhooks below.').build();
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
  describePathParameters(operation, subject.noun);
  const traits = { public: notes.public, hasKey, readsBody: method !== 'get', hasPathParameter: path.includes('{') };
  const codes = [...commonErrors(traits), ...(operation[ERRORS_EXTENSION] ?? [])];
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
