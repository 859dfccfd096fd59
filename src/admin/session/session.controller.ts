import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { StaffOnly } from '../../auth/scopes.js';
import { DomainError } from '../../domain/errors.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { clientOf } from '../../staff/client.js';
import { ConsoleSite } from '../../staff/console-site.service.js';
import { Passwords } from '../../staff/passwords.service.js';
import { clearToken, setToken, tokenIn } from '../../staff/session-cookie.js';
import { SignIn } from '../../staff/sign-in.service.js';
import {
  BeforeSecondFactor,
  CurrentSession,
  Passive,
  type SignedIn,
  WithoutSession,
} from '../../staff/staff-access.js';
import { type IssuedToken, StaffSessions } from '../../staff/staff-sessions.service.js';
import { StepUp } from '../../staff/step-up.service.js';
import { sessionExample } from './session.example.js';
import { presentSession } from './session.presenter.js';
import {
  endedSessionSchema,
  type PasswordBody,
  passwordBody,
  sessionSchema,
  type SessionObject,
  type SignInBody,
  signInBody,
  type StepUpBody,
  stepUpBody,
} from './session.schema.js';

const TAG = 'Session';

/** The session of a member of staff in one browser. */
@Controller('admin/api/session')
@StaffOnly()
@BeforeSecondFactor()
export class SessionController {
  constructor(
    private readonly database: Database,
    private readonly site: ConsoleSite,
    private readonly signIns: SignIn,
    private readonly sessions: StaffSessions,
    private readonly passwords: Passwords,
    private readonly proofs: StepUp,
  ) {}

  @Post()
  @HttpCode(200)
  @WithoutSession()
  @ApiErrors('unauthorized', 'code_required', 'forbidden', 'rate_limited')
  @ApiOperationDocs({
    operationId: 'signIn',
    summary: 'Sign in',
    description: 'Opens a session and sets its cookie. Wrong addresses and wrong passwords have the same answer.',
    tag: TAG,
    public: true,
    request: { example: { email: 'kim@example.com', password: 'correct horse battery', code: '123456' } },
    success: { description: 'The session.', schema: sessionSchema, example: sessionExample },
  })
  async signIn(
    @Body({ schema: signInBody }) { email, password, code, recovery_code: recoveryCode }: SignInBody,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<SessionObject> {
    const order = { email, password, code, recoveryCode };
    const issued = await this.signIns.signIn(order, clientOf(req, res), tokenIn(req, this.site.cookie));
    return this.given(issued, res);
  }

  @Get()
  @Passive()
  @ApiOperationDocs({
    operationId: 'getSession',
    summary: 'Retrieve the session',
    description: 'Asking does not keep it from becoming idle.',
    tag: TAG,
    success: { description: 'The session.', schema: sessionSchema, example: sessionExample },
  })
  async get(@CurrentSession() { session }: SignedIn): Promise<SessionObject> {
    return presentSession(session, await this.site.hasLive());
  }

  @Delete()
  @ApiOperationDocs({
    operationId: 'signOut',
    summary: 'Sign out',
    tag: TAG,
    success: {
      description: 'The session has ended.',
      schema: endedSessionSchema,
      example: { object: 'session', deleted: true },
    },
  })
  async signOut(
    @CurrentSession() signedIn: SignedIn,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<object> {
    await this.database.transaction((tx) => this.signIns.signOut(tx, signedIn, tokenIn(req, this.site.cookie)));
    clearToken(res, this.site.cookie);
    return { object: 'session', deleted: true };
  }

  @Post('step-up')
  @HttpCode(200)
  @ApiErrors('code_required', 'rate_limited')
  @ApiOperationDocs({
    operationId: 'stepUp',
    summary: 'Prove your identity again',
    description: 'Dangerous actions need a proof within the last 5 minutes. The session gets a new cookie.',
    tag: TAG,
    request: { example: { code: '123456' } },
    success: { description: 'The session.', schema: sessionSchema, example: sessionExample },
  })
  async stepUp(
    @CurrentSession() signedIn: SignedIn,
    @Body({ schema: stepUpBody }) body: StepUpBody,
    @Res({ passthrough: true }) res: Response,
  ): Promise<SessionObject> {
    return this.given(await this.proofs.stepUp(signedIn, body), res);
  }

  @Post('password')
  @HttpCode(200)
  @ApiErrors('rate_limited')
  @ApiOperationDocs({
    operationId: 'changePassword',
    summary: 'Change your password',
    description: 'Ends all other sessions of the member. This one gets a new cookie.',
    tag: TAG,
    request: { example: { current_password: 'correct horse battery', new_password: 'another long password' } },
    success: { description: 'The session.', schema: sessionSchema, example: sessionExample },
  })
  async changePassword(
    @CurrentSession() signedIn: SignedIn,
    @Body({ schema: passwordBody }) { current_password: current, new_password: next }: PasswordBody,
    @Res({ passthrough: true }) res: Response,
  ): Promise<SessionObject> {
    return this.given(await this.passwords.change(signedIn, current, next), res);
  }

  /** Gives the browser the new token and presents its session. */
  private async given({ token }: IssuedToken, res: Response): Promise<SessionObject> {
    const session = await this.sessions.find(token, { isActive: false });
    if (session === null) throw new DomainError('unauthorized', 'The session has ended. Sign in again.');
    setToken(res, this.site.cookie, token);
    return presentSession(session, await this.site.hasLive());
  }
}
