import { Injectable } from '@nestjs/common';
import { hashApiKey, newApiKey } from '../domain/api-key.js';
import { DomainError, invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { hasForbiddenText } from '../domain/text.js';
import { rows, type Tx } from '../platform/database/database.js';
import { ApiKey } from './api-key.entity.js';
import { markRevoked } from './api-keys.sql.js';
import { Merchant } from './merchant.entity.js';
import { DEFAULT_SCOPES, type Scope, SCOPES } from './scopes.js';

/** The key to create; without `scopes` it gets the defaults of the environment. */
export interface ApiKeyOrder {
  readonly merchantId: string;
  readonly environment: Environment;
  readonly scopes?: readonly string[];
  /** What its holder calls it, at most 100 characters. */
  readonly name?: string | null;
  /** When it stops working by itself. */
  readonly expiresAt?: Date | null;
}

/** A new key. Its text is available only now. */
export interface NewApiKey {
  readonly id: string;
  readonly key: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
}

const NAME_LENGTH_MAX = 100;

const LISTED = [
  'id',
  'environment',
  'name',
  'last4',
  'scopes',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
  'revokedAt',
] as const;

/** A key as operators see it. */
export type ListedApiKey = Pick<ApiKey, (typeof LISTED)[number]>;

/** Creates, lists and revokes API keys of merchants. */
@Injectable()
export class ApiKeysService {
  /** @throws DomainError `not_found` (merchant), `forbidden` (live key, merchant not verified), `invalid_request` (scopes, name, end). */
  async createKey(tx: Tx, order: ApiKeyOrder): Promise<NewApiKey> {
    const { merchantId, environment, name = null, expiresAt = null } = order;
    if (name !== null && (name.length > NAME_LENGTH_MAX || hasForbiddenText(name))) {
      throw invalidParam('name', `name must be a text of at most ${NAME_LENGTH_MAX} characters.`);
    }
    if (expiresAt !== null && expiresAt <= new Date())
      throw invalidParam('expires_at', 'expires_at must be in the future.');
    const scopes = order.scopes === undefined ? DEFAULT_SCOPES[environment] : parseScopes(order.scopes);
    // Read again, because its verification is a statement that the entity manager does not see.
    const merchant = await tx.findOne(Merchant, { id: merchantId }, { refresh: true });
    if (merchant === null) throw notFound('merchant');
    if (environment === 'live' && merchant.liveVerifiedAt === null) {
      throw new DomainError('forbidden', 'Only a verified merchant can have live keys.');
    }
    const id = newId('key_');
    const key = newApiKey(environment);
    const stored = {
      keyHash: hashApiKey(key),
      last4: key.slice(-4),
      scopes: [...scopes],
      name,
      expiresAt,
    } satisfies Partial<ApiKey>;
    tx.create(ApiKey, { id, merchantId, environment, ...stored, lastUsedAt: null, revokedAt: null });
    await tx.flush();
    return { id, key, merchantId, environment, scopes };
  }

  /** Returns all keys of a merchant, newest first, also revoked ones. */
  keysOf(tx: Tx, merchantId: string): Promise<readonly ListedApiKey[]> {
    return tx.find(
      ApiKey,
      { merchantId },
      { fields: LISTED, orderBy: { createdAt: 'desc', id: 'desc' }, disableIdentityMap: true },
    );
  }

  /** Revokes a key: it stops working within a second, permanently. Revoking it again has no effect. */
  async revokeKey(tx: Tx, id: string): Promise<void> {
    const revoked = await rows(tx, markRevoked(id));
    if (revoked.length === 0) throw notFound('API key');
  }
}

function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

function parseScopes(texts: readonly string[]): Scope[] {
  const unknown = texts.find((text) => !isScope(text));
  if (unknown !== undefined) throw invalidParam('scopes', `scopes must be some of ${SCOPES.join(', ')}.`);
  if (texts.length === 0) throw invalidParam('scopes', 'scopes must have at least one item.');
  return SCOPES.filter((scope) => texts.includes(scope));
}
