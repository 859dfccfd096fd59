import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import type { Scope } from './scopes.js';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    environment: p.text().$type<Environment>(),
    keyHash: p.text(),
    last4: p.text().fieldName('last4'),
    scopes: p.array().$type<Scope[]>(),
    /** What its holder calls it. */
    name: p.text().strictNullable(),
    /** It stops working then; null = never. */
    expiresAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).strictNullable(),
    revokedAt: p.datetime(3).strictNullable(),
  },
});

/** A merchant's key to the API. Only the hash is stored: the key itself is shown once. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);
