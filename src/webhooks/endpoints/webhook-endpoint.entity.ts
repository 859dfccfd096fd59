import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../../domain/network.js';

/** Why the service disabled an endpoint. An endpoint that its merchant disabled has no reason. */
export type DisabledReason = 'failing';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    environment: p.text().$type<Environment>(),
    url: p.text(),
    description: p.text().strictNullable(),
    eventTypes: p.array().$type<string[]>(),
    enabled: p.boolean().default(true),
    disabledReason: p.text().$type<DisabledReason>().strictNullable(),
    secret: p.blob(),
    previousSecret: p.blob().strictNullable(),
    previousSecretExpiresAt: p.datetime(3).strictNullable(),
    /** Null unless its latest attempt failed and none has succeeded since. */
    failingSince: p.datetime(3).strictNullable(),
    deadLetters: p.integer().default(0),
    holds: p.boolean().default(false),
    lastSuccessAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
});

/** A URL of the merchant that receives events. Secrets are stored encrypted. */
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
