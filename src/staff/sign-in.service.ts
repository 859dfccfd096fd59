import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { recordAction } from '../platform/audit-trail.js';
import { Database, type Tx } from '../platform/database/database.js';
import type { Client } from './client.js';
import { ConsoleSite } from './console-site.service.js';
import { normalisedEmail } from './email.js';
import { PasswordHasher } from './password-hasher.service.js';
import { SecondFactor, type SecondProof } from './second-factor.service.js';
import { accountActor } from './session-actor.js';
import { SignInTries, type Try } from './sign-in-tries.service.js';
import type { SignedIn } from './staff-access.js';
import { StaffMember } from './staff-member.entity.js';
import { type IssuedToken, StaffSessions } from './staff-sessions.service.js';

/** The proofs of a sign-in. */
export interface SignInOrder extends SecondProof {
  readonly email: string;
  readonly password: string;
}

/**
 * Opens and ends sessions. Every failure has the same answer and takes as long, so that it reveals no account. A sign-in opens
 * its own transactions: the password is hashed outside of them, and what is recorded of a refusal must stay.
 */
@Injectable()
export class SignIn {
  constructor(
    private readonly database: Database,
    private readonly site: ConsoleSite,
    private readonly tries: SignInTries,
    private readonly hasher: PasswordHasher,
    private readonly secondFactor: SecondFactor,
    private readonly sessions: StaffSessions,
  ) {}

  /**
   * Opens a session; it takes the place of the one of `previousToken`.
   * @throws DomainError `unauthorized` for wrong proofs, `code_required`, `rate_limited`, `forbidden` where the console is off
   */
  async signIn(order: SignInOrder, client: Client, previousToken: string): Promise<IssuedToken> {
    const refusal = await this.site.refusal();
    if (refusal !== null) throw new DomainError('forbidden', refusal);
    const email = normalisedEmail(order.email);
    const taken = await this.tries.take(email, client.address);
    const member = await this.memberOf(email, order.password, taken);
    if (member === null) return this.refused(await this.knownEmail(email), client, 'password');
    const needsCode = member.totpSecret !== null && order.code === undefined && order.recoveryCode === undefined;
    if (needsCode) {
      await this.tries.returned(taken);
      throw new DomainError('code_required', 'Enter the code of your authenticator.');
    }
    const issued = await this.opened(member, order, client, taken, previousToken);
    return issued ?? this.refused(member.email, client, 'code');
  }

  /** Ends a session. Audited. */
  async signOut(tx: Tx, { session, ...client }: SignedIn, token: string): Promise<void> {
    await this.sessions.end(tx, token);
    const entry = { action: 'session.end', subject: session.staffId, reason: null } as const;
    await recordAction(tx, { ...accountActor(session.email, client), ...entry });
  }

  /** Returns the member with these proofs; null when there is none. */
  private async memberOf(email: string, password: string, taken: Try): Promise<StaffMember | null> {
    const member = await this.database.em().findOne(StaffMember, { email, disabledAt: null });
    const isRight = await this.hasher.verify(member?.passwordHash ?? null, password).catch(async (error: unknown) => {
      await this.tries.returned(taken);
      throw error;
    });
    return isRight ? member : null;
  }

  private opened(
    { id, passwordHash }: StaffMember,
    order: SignInOrder,
    client: Client,
    taken: Try,
    previousToken: string,
  ): Promise<IssuedToken | null> {
    return this.database.transaction(async (tx) => {
      // With its row locked, the account cannot lose this password or be disabled until the session is there to be ended.
      const member = await tx.findOne(
        StaffMember,
        { id, passwordHash, disabledAt: null },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (member === null) return null;
      if (member.totpSecret !== null && !(await this.secondFactor.accept(tx, member, order))) return null;
      await this.tries.passed(tx, taken);
      await this.sessions.end(tx, previousToken);
      const issued = await this.sessions.open(tx, member.id, client.address);
      await recordAction(tx, {
        ...accountActor(member.email, client),
        action: 'session.create',
        subject: member.id,
        reason: null,
        details: { session_id: issued.sessionId, ...(order.recoveryCode !== undefined && { by: 'recovery code' }) },
      });
      return issued;
    });
  }

  /** The address for the audit. One that is no account's may be a password in the wrong field. */
  private async knownEmail(email: string): Promise<string> {
    return (await this.database.em().count(StaffMember, { email })) === 0 ? 'unknown' : email;
  }

  private async refused(email: string, client: Client, wrong: 'password' | 'code'): Promise<never> {
    await this.database.transaction((tx) =>
      recordAction(tx, {
        ...accountActor(email, client),
        action: 'session.refuse',
        subject: 'session',
        reason: null,
        details: { wrong },
      }),
    );
    throw new DomainError(
      'unauthorized',
      wrong === 'code' ? 'The code is wrong, or it was used before.' : 'The e-mail address or the password is wrong.',
    );
  }
}
