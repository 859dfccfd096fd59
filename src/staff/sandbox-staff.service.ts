import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { recordAction } from '../platform/audit-trail.js';
import { assign } from '../platform/database/assign.js';
import { Database } from '../platform/database/database.js';
import { PasswordHasher } from './password-hasher.service.js';
import { newMember } from './staff-accounts.service.js';
import { StaffMember } from './staff-member.entity.js';
import { StaffSessions } from './staff-sessions.service.js';

const EMAIL = 'admin@localhost';
const PASSWORD_BYTES = 15;

/** The administrator of a local sandbox. */
export interface SandboxAdmin {
  readonly email: string;
  /** Null once its owner has set another one in the console. */
  readonly password: string | null;
  /** True when this start made the password. */
  readonly isNew: boolean;
}

/**
 * The first member of staff of a sandbox on one machine, so that its console needs no setup. It opens its own transaction, since
 * the password is hashed outside of it.
 */
@Injectable()
export class SandboxStaff {
  constructor(
    private readonly database: Database,
    private readonly hasher: PasswordHasher,
    private readonly sessions: StaffSessions,
  ) {}

  /**
   * Returns the administrator, with a new random password when there is none yet or `remembered` has lost it. A password
   * that its owner has changed stays.
   */
  async ensureAdmin(remembered: string | null): Promise<SandboxAdmin> {
    const known = await this.database.em().findOne(StaffMember, { email: EMAIL });
    if (known !== null && !isAsMade(known)) return { email: EMAIL, password: null, isNew: false };
    if (known !== null && remembered !== null) return { email: EMAIL, password: remembered, isNew: false };
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    await this.set(await this.hasher.hash(password));
    return { email: EMAIL, password, isNew: true };
  }

  private set(passwordHash: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const now = new Date();
      const member = (await tx.findOne(StaffMember, { email: EMAIL })) ?? newMember(EMAIL);
      assign(member, { passwordHash, passwordSetAt: now, createdAt: now, sandboxRole: 'admin' });
      await tx.persist(member).flush();
      await this.sessions.endAllOf(tx, member.id);
      const entry = { actor: 'sandbox', action: 'staff.create', subject: member.id, reason: null } as const;
      await recordAction(tx, { ...entry, details: { email: EMAIL } });
    });
  }
}

/** Whether the account is still untouched since a start made it. */
const isAsMade = ({ createdAt, passwordSetAt, disabledAt }: StaffMember): boolean =>
  disabledAt === null && passwordSetAt?.getTime() === createdAt.getTime();
