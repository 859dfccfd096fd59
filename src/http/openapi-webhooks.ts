import type { OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import type { ConvertedSchema, SchemaConverter } from './openapi-schema.js';

/** One event that is delivered to webhook endpoints: its envelope's schema and a whole example of it. */
export interface WebhookDocs {
  readonly summary: string;
  readonly description?: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
}

/** Event type -> what is delivered. */
export type WebhookTable = Readonly<Record<string, WebhookDocs>>;

export const WEBHOOKS_TAG = 'Webhook events';

const HEADERS = [
  ['X-Webhook-Signature', 't=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">; verify it before anything else.'],
  ['Webhook-Id', 'The id of the event, the same on every attempt.'],
] as const;

/** Writes the section `webhooks` of the document, and the components that its schemas need. */
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
    responses: { '2XX': { description: 'Acknowledged. Any other answer is a failed attempt and is tried again.' } },
  };
}
