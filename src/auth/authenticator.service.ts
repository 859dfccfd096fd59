import { Injectable } from '@nestjs/common';
import { hashApiKey, parseApiKey } from '../domain/api-key.js';
import { Database } from '../platform/database/database.js';
import { TtlCache } from '../platform/ttl-cache.js';
import { findCaller } from './api-keys.sql.js';
import type { Caller } from './caller.js';
import { KeyUsage } from './key-usage.service.js';

/** A revoked key must stop working within a second, so it is cached for less than that. */
const CACHE_TTL_MS = 500;
const CACHED_CALLERS_MAX = 10_000;

/**
 * Finds the caller of a key. Keys are looked up by their SHA-256, never compared character by character: the time of the
 * lookup reveals at most something about the hash, and an attacker cannot choose the hash of a key they do not have.
 */
@Injectable()
export class Authenticator {
  private readonly callers = new TtlCache<Caller>(CACHE_TTL_MS, CACHED_CALLERS_MAX, (hash) => this.find(hash));

  constructor(
    private readonly db: Database,
    private readonly usage: KeyUsage,
  ) {}

  /** Returns the caller with this key; null when there is none or it is revoked. A malformed key costs no query. */
  async authenticate(key: string): Promise<Caller | null> {
    if (parseApiKey(key) === null) return null;
    const caller = await this.callers.get(hashApiKey(key));
    if (caller !== null) this.usage.note(caller.apiKeyId);
    return caller;
  }

  private async find(hash: string): Promise<Caller | null> {
    const [caller] = await this.db.rows(findCaller(hash));
    return caller ?? null;
  }
}
