import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { accessOf } from '../auth/scopes.js';
import { DomainError, notFound } from '../domain/errors.js';
import { type Environment, ENVIRONMENTS } from '../domain/network.js';
import { recordAction } from '../platform/audit-trail.js';
import { Database } from '../platform/database/database.js';
import { clientOf } from './client.js';
import { ConsoleSite } from './console-site.service.js';
import { isAtLeast, PERMISSIONS } from './permissions.js';
import { assertSameSite, POLL_HEADER } from './same-site.js';
import { tokenIn } from './session-cookie.js';
import {
  BeforeSecondFactor,
  Passive,
  RequiredPermission,
  type SignedIn,
  type StaffCaller,
  type StaffRequest,
  WithoutSession,
} from './staff-access.js';
import { StaffSessions } from './staff-sessions.service.js';

/**
 * Admits requests of signed-in staff to the routes of the console: session, second factor, site of origin, environment,
 * role, fresh proof of identity, in this order. Refusals of signed-in staff are audited.
 */
@Injectable()
export class StaffGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly site: ConsoleSite,
    private readonly sessions: StaffSessions,
    private readonly database: Database,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (accessOf(this.reflector, context.getHandler(), context.getClass()) !== 'staff') return true;
    const http = context.switchToHttp();
    const req = http.getRequest<StaffRequest>();
    const refusal = await this.site.refusal();
    if (refusal !== null) throw new DomainError('forbidden', refusal);
    if (this.marked(WithoutSession, context)) {
      assertSameSite(req, this.site.baseUrl);
      return true;
    }
    const signedIn = await this.signedIn(context, req, http.getResponse<Response>());
    req.signedIn = signedIn;
    try {
      await this.admit(context, req, signedIn);
    } catch (error) {
      if (error instanceof DomainError) await this.audit(req, signedIn, error);
      throw error;
    }
    return true;
  }

  private async signedIn(context: ExecutionContext, req: StaffRequest, res: Response): Promise<SignedIn> {
    const isActive = !this.marked(Passive, context) && req.headers[POLL_HEADER] === undefined;
    const session = await this.sessions.find(tokenIn(req, this.site.cookie), { isActive });
    if (session === null) throw new DomainError('unauthorized', 'Sign in to the console.');
    return { ...clientOf(req, res), session };
  }

  /** @throws DomainError `forbidden`, `not_found` for an environment without a role, `step_up_required` */
  private async admit(context: ExecutionContext, req: StaffRequest, signedIn: SignedIn): Promise<void> {
    assertSameSite(req, this.site.baseUrl);
    const { totpEnabled } = signedIn.session;
    if (!totpEnabled && !this.marked(BeforeSecondFactor, context) && (await this.site.hasLive())) {
      throw new DomainError('forbidden', 'Set up an authenticator first: this service has live networks.');
    }
    const permission = this.reflector.getAllAndOverride(RequiredPermission, [context.getHandler(), context.getClass()]);
    if (permission === undefined) return;
    const staff = callerIn(req, signedIn);
    const { role, stepUp } = PERMISSIONS[permission];
    if (!isAtLeast(staff.role, role)) {
      throw new DomainError(
        'forbidden',
        `This needs the role ${role} in ${staff.environment}; yours is ${staff.role}.`,
      );
    }
    if (stepUp && signedIn.session.stepUpUntil === null) {
      throw new DomainError('step_up_required', 'Prove your identity first: the last proof is older than 5 minutes.');
    }
    req.staff = staff;
  }

  private async audit(req: StaffRequest, { session, ...client }: SignedIn, { code }: DomainError): Promise<void> {
    const environment = environmentIn(req);
    await this.database.transaction((tx) =>
      recordAction(tx, {
        actor: session.email,
        ...client,
        environment,
        role: environment === null ? null : session.roles[environment],
        action: 'request.refuse',
        subject: session.staffId,
        reason: null,
        details: { code, method: req.method, path: req.path.slice(0, 200) },
      }),
    );
  }

  private marked(decorator: typeof Passive, context: ExecutionContext): boolean {
    return this.reflector.getAllAndOverride(decorator, [context.getHandler(), context.getClass()]) ?? false;
  }
}

/** The caller in the environment of the path. @throws DomainError `not_found` for one without a role, as for an unknown one */
function callerIn(req: StaffRequest, { session, address, requestId }: SignedIn): StaffCaller {
  const environment = environmentIn(req);
  if (environment === null || session.roles[environment] === 'none') throw notFound('environment');
  const { id: sessionId, staffId, email, roles } = session;
  return { staffId, email, sessionId, environment, role: roles[environment], address, requestId };
}

function environmentIn(req: StaffRequest): Environment | null {
  return ENVIRONMENTS.find((environment) => environment === req.params['environment']) ?? null;
}
