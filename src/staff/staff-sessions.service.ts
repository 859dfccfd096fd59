import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import type { StaffRole } from './permissions.js';
import { hashOf, isToken, newToken } from './secret-token.js';
import {
  endSession,
  endSessionsOf,
  findSession,
  noteActivity,
  openSession,
  renewSession,
} from './staff-sessions.sql.js';

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
    const [found] = await this.database.rows(findSession(hashOf(token)));
    if (found === undefined) return null;
    const [noted] = isActive ? await this.database.rows(noteActivity(found.id)) : [];
    return {
      id: found.id,
      staffId: found.staffId,
      email: found.email,
      roles: { sandbox: found.sandboxRole, live: found.liveRole },
      totpEnabled: found.totpEnabled,
      expiresAt: new Date(found.expiresAt),
      idleExpiresAt: new Date(noted?.idleExpiresAt ?? found.idleExpiresAt),
      stepUpUntil: found.stepUpUntil === null ? null : new Date(found.stepUpUntil),
    };
  }

  /** Opens a session for a member who has just proved their identity. */
  async open(tx: Tx, staffId: string, address: string): Promise<IssuedToken> {
    const [id, token] = [newId('ses_'), newToken()];
    await rows(tx, openSession({ id, staffId, tokenHash: hashOf(token), address }));
    return { token, sessionId: id };
  }

  /**
   * Gives a session a new token after a proof of identity: the old one is worthless then. Returns null when the session has
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
