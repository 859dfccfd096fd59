import { type EntityData, type FilterQuery, LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import type { AuditedState } from '../platform/audit-entry.entity.js';
import { type Author, by, recordAction } from '../platform/audit-trail.js';
import { assign } from '../platform/database/assign.js';
import { rows, type Tx } from '../platform/database/database.js';
import { normalisedEmail } from './email.js';
import type { StaffRole } from './permissions.js';
import { deleteRecoveryCodes } from './second-factor.sql.js';
import { hashOf, newToken } from './secret-token.js';
import { forgetTries } from './sign-in-failures.sql.js';
import { accountKeyOf } from './sign-in-keys.js';
import { StaffInvitation } from './staff-invitation.entity.js';
import { StaffMember } from './staff-member.entity.js';
import { StaffSessions } from './staff-sessions.service.js';

const INVITATION_LASTS_MS = 24 * 3_600_000;

/** The roles to set; environments that are missing keep theirs. */
export type RoleChange = Readonly<Partial<Record<Environment, StaffRole>>>;

/** A new invitation. Its token is available only now. */
export interface NewInvitation {
  readonly email: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/** A member of staff as operators see them. */
export interface ListedMember extends Pick<StaffMember, 'email' | 'sandboxRole' | 'liveRole' | 'createdAt'> {
  readonly status: 'invited' | 'active' | 'disabled';
  readonly hasTotp: boolean;
}

/**
 * The accounts of staff. Only the command line invites members, resets them and changes their roles: a stolen session must not
 * widen itself.
 */
@Injectable()
export class StaffAccounts {
  constructor(private readonly sessions: StaffSessions) {}

  /**
   * Makes an account, and the token of a link with which its member sets a password. Audited.
   * @throws DomainError `invalid_state_transition` when the account exists and was accepted or disabled
   */
  async invite(tx: Tx, email: string, roles: RoleChange, actor: string): Promise<NewInvitation> {
    const address = normalisedEmail(email);
    const known = await tx.findOne(StaffMember, { email: address }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (known !== null && (known.passwordHash !== null || known.disabledAt !== null)) {
      const state = known.disabledAt === null ? 'has an account already' : 'is disabled';
      throw new DomainError('invalid_state_transition', `${address} ${state}. Use staff role or staff reset.`);
    }
    const member = known ?? newMember(address);
    const before = known === null ? undefined : stateOf(member);
    applyRoles(member, roles);
    await tx.persist(member).flush();
    const after = stateOf(member);
    const entry = {
      actor,
      action: 'staff.invite',
      subject: member.id,
      reason: null,
      details: { email: address },
    } as const;
    await recordAction(tx, { ...entry, ...(before && { before }), after });
    return this.invitation(tx, member);
  }

  /** Changes the roles of a member and ends their sessions. Audited. @throws DomainError `not_found` */
  async setRoles(tx: Tx, email: string, roles: RoleChange, actor: string): Promise<StaffMember> {
    const member = await lock(tx, email);
    const before = stateOf(member);
    applyRoles(member, roles);
    await tx.flush();
    await this.sessions.endAllOf(tx, member.id);
    const entry = { actor, action: 'staff.role', subject: member.id, reason: null } as const;
    await recordAction(tx, { ...entry, before, after: stateOf(member) });
    return member;
  }

  /**
   * Takes a member's password and authenticator away, ends their sessions, enables the account, forgets its failed
   * sign-ins, and invites them to set a new password. Audited. @throws DomainError `not_found`
   */
  async reset(tx: Tx, email: string, actor: string): Promise<NewInvitation> {
    const member = await lock(tx, email);
    const before = stateOf(member);
    assign(member, {
      passwordHash: null,
      passwordSetAt: null,
      totpSecret: null,
      pendingTotpSecret: null,
      disabledAt: null,
    });
    await tx.flush();
    await rows(tx, deleteRecoveryCodes(member.id));
    await rows(tx, forgetTries(accountKeyOf(member.email)));
    await this.sessions.endAllOf(tx, member.id);
    const entry = { actor, action: 'staff.reset', subject: member.id, reason: null } as const;
    await recordAction(tx, { ...entry, before, after: stateOf(member) });
    return this.invitation(tx, member);
  }

  /** Disables a member and ends their sessions and invitations. Audited. @throws DomainError `not_found` */
  async disable(tx: Tx, email: string, author: Author, reason: string | null = null): Promise<void> {
    const member = await lock(tx, email);
    if (member.disabledAt !== null) return;
    const before = stateOf(member);
    member.disabledAt = new Date();
    await tx.flush();
    await this.endInvitations(tx, member.id);
    await this.sessions.endAllOf(tx, member.id);
    const entry = { ...by(author), action: 'staff.disable', subject: member.id, reason } as const;
    await recordAction(tx, { ...entry, before, after: stateOf(member) });
  }

  /** Returns all members by their addresses. */
  async list(tx: Tx): Promise<readonly ListedMember[]> {
    const members = await tx.find(StaffMember, {}, { orderBy: { email: 'asc' } });
    return members.map((member) => {
      const { email, sandboxRole, liveRole, createdAt, totpSecret } = member;
      return { email, sandboxRole, liveRole, createdAt, status: statusOf(member), hasTotp: totpSecret !== null };
    });
  }

  /** Makes a new invitation; earlier ones of the member end. */
  private async invitation(tx: Tx, { id: staffId, email }: StaffMember): Promise<NewInvitation> {
    await this.endInvitations(tx, staffId);
    const [token, now] = [newToken(), new Date()];
    const expiresAt = new Date(now.getTime() + INVITATION_LASTS_MS);
    const times = { createdAt: now, expiresAt, usedAt: null } satisfies EntityData<StaffInvitation>;
    await tx.insert(StaffInvitation, { id: newId('inv_'), staffId, tokenHash: hashOf(token), ...times });
    return { email, token, expiresAt };
  }

  private async endInvitations(tx: Tx, staffId: string): Promise<void> {
    await tx.nativeUpdate(StaffInvitation, { staffId, usedAt: null }, { usedAt: new Date() });
  }
}

/** Locks a member: of two changes at once the second begins from the state that the first has left. */
async function lock(tx: Tx, email: string): Promise<StaffMember> {
  const where = { email: normalisedEmail(email) } satisfies FilterQuery<StaffMember>;
  const member = await tx.findOne(StaffMember, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (member === null) throw notFound('member of staff');
  return member;
}

/** An account without a password, and without a role anywhere. */
export function newMember(email: string): StaffMember {
  return assign(new StaffMember(), {
    id: newId('stf_'),
    email,
    sandboxRole: 'none',
    liveRole: 'none',
    passwordHash: null,
    passwordSetAt: null,
    totpSecret: null,
    pendingTotpSecret: null,
    totpLastStep: null,
    createdAt: new Date(),
    disabledAt: null,
  });
}

function applyRoles(member: StaffMember, { sandbox, live }: RoleChange): void {
  member.sandboxRole = sandbox ?? member.sandboxRole;
  member.liveRole = live ?? member.liveRole;
}

/** Whether a member can sign in. */
export const statusOf = ({
  disabledAt,
  passwordHash,
}: Pick<StaffMember, 'disabledAt' | 'passwordHash'>): ListedMember['status'] =>
  disabledAt !== null ? 'disabled' : passwordHash === null ? 'invited' : 'active';

const stateOf = (member: StaffMember): AuditedState => ({
  sandbox_role: member.sandboxRole,
  live_role: member.liveRole,
  status: statusOf(member),
});
