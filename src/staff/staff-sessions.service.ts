import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import type { StaffRole } from './permissions.js';
import { hashOf, isToken, newToken } from './secret-token.js';
import { StaffSession } from './staff-session.entity.js';
import { endSession, endSessionsOf, findSession, noteActivity, renewSession } from './staff-sessions.sql.js';

/** After so long without a request that a person made, a session ends. */
export const IDLE_MINUTES = 30;
const LIFETIME_MS = 12 * 3_600_000;
const PROOF_LASTS_MS = 5 * 60_000;

/** A session that is open now. */
export interface OpenSession {
  readonly id: string;
  readonly staffId: string;
  readonly email: string;
  readonly roles: Readonly<Record<Environment, StaffRole>>;
  readonly totpEnabled: boolean;
  readonly expiresAt: Date;
  readonly idleExpiresAt: Date;
  /** Until when the last proof of identity holds; null when it no longer does. */
  readonly stepUpUntil: Date | null;
}

/** A token for the cookie; it is available only now. */
export interface IssuedToken {
  readonly token: string;
  readonly sessionId: string;
}

/**
 * Sessions of staff. Every request reads its session's row, so a session that was ended, and the role of a member, take
 * effect at once in every process.
 */
@Injectable()
export class StaffSessions {
  constructor(private readonly database: Database) {}

  /** Returns the open session with this token. With `isActive` its idle time starts again. */
  async find(token: string, { isActive }: { readonly isActive: boolean }): Promise<OpenSession | null> {
    if (!isToken(token)) return null;
    const [found] = await this.database.rows(findSession(hashOf(token), IDLE_MINUTES));
    if (found === undefined) return null;
    const [noted] = isActive ? await this.database.rows(noteActivity(found.id)) : [];
    const lastActiveAt = new Date(noted?.lastActiveAt ?? found.lastActiveAt);
    const expiresAt = new Date(found.expiresAt);
    const stepUpUntil = new Date(new Date(found.provedAt).getTime() + PROOF_LASTS_MS);
    const idleExpiresAt = new Date(Math.min(lastActiveAt.getTime() + IDLE_MINUTES * 60_000, expiresAt.getTime()));
    return {
      id: found.id,
      staffId: found.staffId,
      email: found.email,
      roles: { sandbox: found.sandboxRole, live: found.liveRole },
      totpEnabled: found.totpEnabled,
      expiresAt,
      idleExpiresAt,
      stepUpUntil: stepUpUntil.getTime() > Date.now() ? stepUpUntil : null,
    };
  }

  /** Opens a session for a member who has just proved their identity. */
  async open(tx: Tx, staffId: string, address: string): Promise<IssuedToken> {
    const [id, token, now] = [newId('ses_'), newToken(), new Date()];
    const expiresAt = new Date(now.getTime() + LIFETIME_MS);
    const times = { createdAt: now, lastActiveAt: now, provedAt: now, expiresAt, endedAt: null };
    await tx.insert(StaffSession, { id, staffId, tokenHash: hashOf(token), address, ...times });
    return { token, sessionId: id };
  }

  /**
   * Gives a session a new token after a proof of identity: whoever had the old one is out. Returns null when the session has
   * ended meanwhile.
   */
  async renew(tx: Tx, sessionId: string): Promise<IssuedToken | null> {
    const token = newToken();
    const renewed = await rows(tx, renewSession(sessionId, hashOf(token)));
    return renewed.length === 0 ? null : { token, sessionId };
  }

  /** Ends the session with this token, if there is one. Returns its id. */
  async end(tx: Tx, token: string): Promise<string | null> {
    if (!isToken(token)) return null;
    const [ended] = await rows(tx, endSession(hashOf(token)));
    return ended?.id ?? null;
  }

  /** Ends all sessions of a member, except for one. Returns how many. */
  async endAllOf(tx: Tx, staffId: string, except: string | null = null): Promise<number> {
    return (await rows(tx, endSessionsOf(staffId, except))).length;
  }
}
