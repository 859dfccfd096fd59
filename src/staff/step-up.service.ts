import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { recordAction } from '../platform/audit-trail.js';
import { Database, type Tx } from '../platform/database/database.js';
import { PasswordHasher } from './password-hasher.service.js';
import { SecondFactor } from './second-factor.service.js';
import { accountActor } from './session-actor.js';
import { SignInTries, type Try } from './sign-in-tries.service.js';
import type { SignedIn } from './staff-access.js';
import { StaffMember } from './staff-member.entity.js';
import { type IssuedToken, StaffSessions } from './staff-sessions.service.js';

/** A proof of identity within a session: a code of the authenticator; the password of members who have none. */
export interface StepUpOrder {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/**
 * Proofs of identity within a session, for dangerous actions. Each gives the session a new token. It opens its own transactions:
 * the password is hashed outside of them, and what is recorded of a refusal must stay.
 */
@Injectable()
export class StepUp {
  constructor(
    private readonly database: Database,
    private readonly tries: SignInTries,
    private readonly hasher: PasswordHasher,
    private readonly secondFactor: SecondFactor,
    private readonly sessions: StaffSessions,
  ) {}

  /** @throws DomainError `unauthorized` for a wrong proof, `code_required`, `rate_limited` */
  async stepUp(signedIn: SignedIn, order: StepUpOrder): Promise<IssuedToken> {
    const { staffId, email } = signedIn.session;
    const taken = await this.tries.take(email, signedIn.address);
    const member = await this.database.em().findOneOrFail(StaffMember, { id: staffId });
    if (member.totpSecret !== null && order.code === undefined) {
      await this.tries.returned(taken);
      throw new DomainError('code_required', 'Enter the code of your authenticator.');
    }
    const isRight = member.totpSecret !== null || (await this.isPassword(member, order.password ?? '', taken));
    const issued = isRight ? await this.proved(signedIn, member, order, taken) : null;
    return issued ?? this.refused(signedIn);
  }

  /** Verifies the password; a try that the hasher refuses does not count. */
  async isPassword({ passwordHash }: StaffMember, password: string, taken: Try): Promise<boolean> {
    return this.hasher.verify(passwordHash, password).catch(async (error: unknown) => {
      await this.tries.returned(taken);
      throw error;
    });
  }

  /** Records a wrong proof. @throws DomainError `unauthorized` always */
  async refused({ session, ...client }: SignedIn): Promise<never> {
    await this.database.transaction((tx) =>
      recordAction(tx, {
        ...accountActor(session.email, client),
        action: 'session.step_up_refuse',
        subject: session.staffId,
        reason: null,
      }),
    );
    throw new DomainError('unauthorized', 'The password or the code is wrong, or the code was used before.');
  }

  private proved(
    { session, ...client }: SignedIn,
    member: StaffMember,
    order: StepUpOrder,
    taken: Try,
  ): Promise<IssuedToken | null> {
    return this.database.transaction(async (tx: Tx) => {
      if (member.totpSecret !== null && !(await this.secondFactor.accept(tx, member, order))) return null;
      await this.tries.passed(tx, taken);
      const issued = await this.sessions.renew(tx, session.id);
      const entry = { action: 'session.step_up', subject: session.staffId, reason: null } as const;
      await recordAction(tx, { ...accountActor(session.email, client), ...entry });
      return issued;
    });
  }
}
