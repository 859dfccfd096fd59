import { type FilterQuery, LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { recordAction } from '../platform/audit-trail.js';
import { assign } from '../platform/database/assign.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { Client } from './client.js';
import { PasswordHasher } from './password-hasher.service.js';
import { assertStrongPassword } from './password-rules.js';
import type { StaffRole } from './permissions.js';
import { hashOf, isToken } from './secret-token.js';
import { accountActor } from './session-actor.js';
import { SignInTries } from './sign-in-tries.service.js';
import type { SignedIn } from './staff-access.js';
import { StaffInvitation } from './staff-invitation.entity.js';
import { StaffMember } from './staff-member.entity.js';
import { type IssuedToken, StaffSessions } from './staff-sessions.service.js';
import { StepUp } from './step-up.service.js';

/** An invitation that can be accepted. */
export interface OpenInvitation {
  readonly email: string;
  readonly roles: Readonly<Record<Environment, StaffRole>>;
  readonly expiresAt: Date;
}

/**
 * Sets passwords: by an invitation, or by a member who has one. It opens its own transactions: passwords are hashed outside of
 * them, and what is recorded of a refusal must stay.
 */
@Injectable()
export class Passwords {
  constructor(
    private readonly database: Database,
    private readonly tries: SignInTries,
    private readonly hasher: PasswordHasher,
    private readonly sessions: StaffSessions,
    private readonly stepUp: StepUp,
  ) {}

  /** Returns the invitation of a link. @throws DomainError `not_found` when it was used, is too old, or never was */
  async invitation(token: string): Promise<OpenInvitation> {
    const { member, expiresAt } = await this.open(token);
    return { email: member.email, roles: { sandbox: member.sandboxRole, live: member.liveRole }, expiresAt };
  }

  /**
   * Sets the password of an invited member; the link works once. Returns the address to sign in with.
   * @throws DomainError `not_found` as `invitation`, `invalid_request` for a weak password
   */
  async accept(token: string, password: string, client: Client): Promise<{ readonly email: string }> {
    // Before the hash, which costs too much for anyone without a link.
    const { member } = await this.open(token);
    await assertStrongPassword(password, member.email, 'password');
    const passwordHash = await this.hasher.hash(password);
    await this.database.transaction(async (tx) => {
      const locked = await tx.findOneOrFail(StaffMember, { id: member.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const used = await tx.nativeUpdate(
        StaffInvitation,
        { tokenHash: hashOf(token), usedAt: null, expiresAt: { $gt: new Date() } },
        { usedAt: new Date() },
      );
      if (used === 0 || locked.disabledAt !== null) throw notFound('invitation');
      assign(locked, { passwordHash, passwordSetAt: new Date() });
      await tx.flush();
      const entry = { action: 'staff.accept', subject: member.id, reason: null } as const;
      await recordAction(tx, { ...accountActor(member.email, client), ...entry });
    });
    return { email: member.email };
  }

  /**
   * Replaces the password of a member, ends their other sessions, and gives this one a new token.
   * @throws DomainError `unauthorized` when the present one is wrong, `invalid_request` for a weak one, `rate_limited`
   */
  async change(signedIn: SignedIn, current: string, next: string): Promise<IssuedToken> {
    const { session, ...client } = signedIn;
    await assertStrongPassword(next, session.email, 'new_password');
    const taken = await this.tries.take(session.email, client.address);
    const member = await this.database.em().findOneOrFail(StaffMember, { id: session.staffId });
    if (!(await this.stepUp.isPassword(member, current, taken))) return this.stepUp.refused(signedIn);
    const passwordHash = await this.hasher.hash(next);
    const issued = await this.database.transaction(async (tx) => {
      const changed = await tx.nativeUpdate(
        StaffMember,
        { id: member.id, passwordHash: member.passwordHash },
        { passwordHash, passwordSetAt: new Date() },
      );
      if (changed === 0) return null;
      await this.tries.passed(tx, taken);
      return this.changed(tx, signedIn);
    });
    return issued ?? this.stepUp.refused(signedIn);
  }

  private async changed(tx: Tx, { session, ...client }: SignedIn): Promise<IssuedToken | null> {
    const ended = await this.sessions.endAllOf(tx, session.staffId, session.id);
    const entry = { action: 'staff.password', subject: session.staffId, reason: null } as const;
    const details = { sessions_ended: String(ended) };
    await recordAction(tx, { ...accountActor(session.email, client), ...entry, details });
    return this.sessions.renew(tx, session.id);
  }

  private async open(token: string): Promise<{ readonly member: StaffMember; readonly expiresAt: Date }> {
    const em = this.database.em();
    const open = {
      tokenHash: hashOf(token),
      usedAt: null,
      expiresAt: { $gt: new Date() },
    } satisfies FilterQuery<StaffInvitation>;
    const found = isToken(token) ? await em.findOne(StaffInvitation, open) : null;
    const member = found && (await em.findOne(StaffMember, { id: found.staffId, disabledAt: null }));
    if (found === null || member === null) {
      throw new DomainError('not_found', 'This link was used, or it is older than a day. Ask for a new one.');
    }
    return { member, expiresAt: found.expiresAt };
  }
}
