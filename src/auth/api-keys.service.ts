import { Injectable } from '@nestjs/common';
import { hashApiKey, newApiKey } from '../domain/api-key.js';
import { DomainError, invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { type Tx, sql } from '../platform/database/database.js';
import { DEFAULT_SCOPES, type Scope, SCOPES } from './scopes.js';

/** The key to create; without `scopes` it gets the defaults of the environment. */
export interface ApiKeyOrder {
  readonly merchantId: string;
  readonly environment: Environment;
  readonly scopes?: readonly string[];
}

/** A new key. Its text is available only now. */
export interface NewApiKey {
  readonly id: string;
  readonly key: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
}

/** A key as operators see it, with database times as text. */
export interface ListedApiKey {
  readonly id: string;
  readonly environment: Environment;
  readonly last4: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** Creates, lists and revokes API keys of merchants. */
@Injectable()
export class ApiKeysService {
  /** @throws DomainError `not_found` (merchant), `forbidden` (live key, merchant not verified), `invalid_request` (scopes). */
  async createKey(tx: Tx, order: ApiKeyOrder): Promise<NewApiKey> {
    const { merchantId, environment } = order;
    const scopes = order.scopes === undefined ? DEFAULT_SCOPES[environment] : parseScopes(order.scopes);
    const [merchant] = await sql<{ verified: boolean }>(
      tx,
      `select live_verified_at is not null as verified from merchant where id = $1`,
      [merchantId],
    );
    if (merchant === undefined) throw notFound('merchant');
    if (environment === 'live' && !merchant.verified) {
      throw new DomainError('forbidden', 'Only a verified merchant can have live keys.');
    }
    const id = newId('key_');
    const key = newApiKey(environment);
    await sql(
      tx,
      `insert into api_key (id, merchant_id, environment, key_hash, last4, scopes) values ($1, $2, $3, $4, $5, $6)`,
      [id, merchantId, environment, hashApiKey(key), key.slice(-4), scopes],
    );
    return { id, key, merchantId, environment, scopes };
  }

  /** Returns all keys of a merchant, newest first, also revoked ones. */
  keysOf(tx: Tx, merchantId: string): Promise<readonly ListedApiKey[]> {
    return sql<ListedApiKey>(
      tx,
      `select id, environment, last4, scopes, created_at, last_used_at, revoked_at from api_key
        where merchant_id = $1 order by created_at desc, id desc`,
      [merchantId],
    );
  }

  /** Revokes a key: it stops working within a second, permanently. Revoking it again has no effect. */
  async revokeKey(tx: Tx, id: string): Promise<void> {
    const rows = await sql(
      tx,
      `update api_key set revoked_at = coalesce(revoked_at, now()) where id = $1 returning id`,
      [id],
    );
    if (rows.length === 0) throw notFound('API key');
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
