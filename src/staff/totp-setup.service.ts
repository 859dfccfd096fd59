import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { recordAction } from '../platform/audit-trail.js';
import type { Tx } from '../platform/database/database.js';
import { SecondFactor } from './second-factor.service.js';
import { accountActor } from './session-actor.js';
import type { SignedIn } from './staff-access.js';
import { type IssuedToken, StaffSessions } from './staff-sessions.service.js';

/** Sets up a member's authenticator, with a fresh proof of identity: a stolen session must not replace it. */
@Injectable()
export class TotpSetup {
  constructor(
    private readonly secondFactor: SecondFactor,
    private readonly sessions: StaffSessions,
  ) {}

  /** Begins with a new secret. @throws DomainError `step_up_required` */
  async begin(
    tx: Tx,
    { session, ...client }: SignedIn,
  ): Promise<{ readonly secret: string; readonly otpauthUri: string }> {
    assertProved(session);
    const entry = { action: 'staff.totp_begin', subject: session.staffId, reason: null } as const;
    await recordAction(tx, { ...accountActor(session.email, client), ...entry });
    return this.secondFactor.begin(tx, session.staffId, session.email);
  }

  /**
   * Takes the new authenticator into use, and gives the session a new token. The recovery codes are shown only now.
   * @throws DomainError `invalid_request` when the code does not fit, `step_up_required`
   */
  async confirm(
    tx: Tx,
    { session, ...client }: SignedIn,
    code: string,
  ): Promise<{ readonly recoveryCodes: readonly string[]; readonly issued: IssuedToken }> {
    assertProved(session);
    const recoveryCodes = await this.secondFactor.confirm(tx, session.staffId, code);
    const issued = await this.sessions.renew(tx, session.id);
    if (issued === null) throw new DomainError('unauthorized', 'The session has ended. Sign in again.');
    await this.sessions.endAllOf(tx, session.staffId, session.id);
    const entry = { action: 'staff.totp', subject: session.staffId, reason: null } as const;
    await recordAction(tx, { ...accountActor(session.email, client), ...entry });
    return { recoveryCodes, issued };
  }
}

function assertProved({ stepUpUntil }: SignedIn['session']): void {
  if (stepUpUntil !== null) return;
  throw new DomainError('step_up_required', 'Prove your identity first: the last proof is older than 5 minutes.');
}
