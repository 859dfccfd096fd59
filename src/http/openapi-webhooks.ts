import type { OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import type { ConvertedSchema, SchemaConverter } from './openapi-schema.js';

/** One event type that is delivered to webhook endpoints: the schema of its envelope and an example. */
export interface WebhookDocs {
  readonly summary: string;
  readonly description?: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** The documentation of webhooks by event type. */
export type WebhookTable = Readonly<Record<string, WebhookDocs>>;

export const WEBHOOKS_TAG = 'Webhook events';

const HEADERS = [
  ['X-Webhook-Signature', 't=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">; verify it before anything else.'],
  ['Webhook-Id', 'The id of the event, the same for every attempt.'],
] as const;

/** Adds the section `webhooks` to the document, with the components of its schemas. */
export function addWebhooks(document: OpenAPIObject, table: WebhookTable, converter: SchemaConverter): void {
  const sections: [string, { post: ReturnType<typeof operation> }][] = [];
  const schemas = { ...document.components?.schemas };
  for (const [eventType, docs] of Object.entries(table)) {
    const { schema, components } = converter.convertForDocument(docs.schema, 'output');
    sections.push([eventType, { post: operation(eventType, docs, schema) }]);
    Object.assign(schemas, components);
  }
  document.webhooks = Object.fromEntries(sections);
  document.components = { ...document.components, schemas };
}

function operation(eventType: string, docs: WebhookDocs, schema: ConvertedSchema['schema']) {
  return {
    operationId: `webhook.${eventType}`,
    summary: docs.summary,
    ...(docs.description !== undefined && { description: docs.description }),
    tags: [WEBHOOKS_TAG],
    security: [],
    parameters: HEADERS.map(([name, description]) => ({
      name,
      in: 'header' as const,
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          examples: { [eventType]: { summary: docs.summary, value: docs.example } },
        },
      },
    },
    responses: { '2XX': { description: 'Acknowledged. Any other answer is a failed attempt, which is retried.' } },
  };
}
