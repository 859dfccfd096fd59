import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { type Environment, ENVIRONMENTS } from '../domain/network.js';
import { type ConsoleActor, recordAction } from '../platform/audit-trail.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type ListedMember, StaffAccounts, statusOf } from './staff-accounts.service.js';
import { StaffMember } from './staff-member.entity.js';
import { type OpenSession, StaffSessions } from './staff-sessions.service.js';
import { openSessionsOf } from './staff-sessions.sql.js';
import { membersIn } from './team.sql.js';

/** An open session as its colleagues see it. */
export type TeamSession = RowOf<typeof openSessionsOf>;

/** A member with what concerns the safety of their account. */
export interface TeamMember extends Omit<RowOf<typeof membersIn>, 'passwordHash' | 'disabledAt'> {
  readonly status: ListedMember['status'];
  readonly sessions: readonly TeamSession[];
  /** They have a role where the reader is no administrator: when and where they signed in is not shown. */
  readonly isHidden: boolean;
}

/** Who acts on a colleague, and why. */
export interface TeamOrder {
  readonly session: OpenSession;
  readonly author: ConsoleActor;
  readonly reason: string;
}

/** The members of staff for each other: what an administrator may do to a colleague in the console is to lock them out. */
@Injectable()
export class Team {
  constructor(
    private readonly database: Database,
    private readonly accounts: StaffAccounts,
    private readonly sessions: StaffSessions,
  ) {}

  /**
   * Returns the members with a role in an environment, and those without any. Sign-ins and sessions are of no environment, so
   * those of a member are shown to an administrator of every environment in which the member has a role.
   */
  async list(environment: Environment, reader: OpenSession): Promise<TeamMember[]> {
    const members = await this.database.rows(membersIn(environment));
    const open = await this.database.rows(openSessionsOf(members.map(({ id }) => id)));
    const byMember = Map.groupBy(open, ({ staffId }) => staffId);
    return members.map(({ passwordHash, disabledAt, lastSignInAt, ...member }) => {
      const isHidden = placeWithoutPower(member, reader) !== undefined;
      return {
        ...member,
        status: statusOf({ passwordHash, disabledAt: disabledAt === null ? null : new Date(disabledAt) }),
        lastSignInAt: isHidden ? null : lastSignInAt,
        sessions: isHidden ? [] : (byMember.get(member.id) ?? []),
        isHidden,
      };
    });
  }

  /**
   * Disables a member who is no administrator. Audited.
   * @throws DomainError `not_found`; `invalid_state_transition` for an administrator; `forbidden` without the role admin
   * wherever the member has one
   */
  async disable(tx: Tx, id: string, { session, author, reason }: TeamOrder): Promise<void> {
    const member = await lockFor(tx, id, session);
    if (member.sandboxRole === 'admin' || member.liveRole === 'admin') {
      throw new DomainError(
        'invalid_state_transition',
        `An administrator is disabled in a shell: npx coffer staff disable ${member.email}`,
      );
    }
    await this.accounts.disable(tx, member.email, author, reason);
  }

  /** Ends the sessions of a member, and returns the member; of one's own, all but this one. Audited. @throws DomainError as `disable` */
  async endSessions(tx: Tx, id: string, { session, author, reason }: TeamOrder): Promise<StaffMember> {
    const member = await lockFor(tx, id, session);
    const ended = await this.sessions.endAllOf(tx, id, id === session.staffId ? session.id : null);
    const details = { sessions: String(ended) };
    await recordAction(tx, { ...author, action: 'staff.end_sessions', subject: member.id, reason, details });
    return member;
  }
}

/** Locks the member, if the caller is an administrator wherever the member has a role. */
async function lockFor(tx: Tx, id: string, session: OpenSession): Promise<StaffMember> {
  const member = await tx.findOne(StaffMember, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (member === null) throw notFound('member of staff');
  const missing = placeWithoutPower(member, session);
  if (missing !== undefined) {
    throw new DomainError(
      'forbidden',
      `This member has a role in ${missing}. You need the role admin in ${missing} too.`,
    );
  }
  return member;
}

/** Where a colleague has a role and the caller is no administrator. */
function placeWithoutPower(
  { id, sandboxRole: sandbox, liveRole: live }: Pick<StaffMember, 'id' | 'sandboxRole' | 'liveRole'>,
  { roles, staffId }: OpenSession,
): Environment | undefined {
  if (id === staffId) return undefined;
  return ENVIRONMENTS.find(
    (environment) => ({ sandbox, live })[environment] !== 'none' && roles[environment] !== 'admin',
  );
}
