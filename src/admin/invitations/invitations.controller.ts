import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { StaffOnly } from '../../auth/scopes.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { clientOf } from '../../staff/client.js';
import { Passwords } from '../../staff/passwords.service.js';
import { WithoutSession } from '../../staff/staff-access.js';
import {
  type AcceptInvitationBody,
  acceptedInvitationSchema,
  acceptInvitationBody,
  invitationSchema,
  type ReadInvitationBody,
  readInvitationBody,
} from './invitations.schema.js';

const TAG = 'Invitations';
const TOKEN = 'q3Zc1mTt0Uu8s5k9vYpWx2bN7dRfGhJl4aQeKiOoPzE';

/** The invitation of a link. Its token is in the body, so that no log has it. */
@Controller('admin/api/invitations')
@StaffOnly()
@WithoutSession()
export class InvitationsController {
  constructor(private readonly passwords: Passwords) {}

  @Post('read')
  @HttpCode(200)
  @ApiErrors('not_found', 'forbidden')
  @ApiOperationDocs({
    operationId: 'readInvitation',
    summary: 'Show an invitation',
    tag: TAG,
    public: true,
    request: { example: { token: TOKEN } },
    success: {
      description: 'The invitation.',
      schema: invitationSchema,
      example: {
        object: 'invitation',
        email: 'kim@example.com',
        roles: { sandbox: 'support', live: 'none' },
        expires_at: '2026-01-31T08:00:00.000Z',
      },
    },
  })
  async read(@Body({ schema: readInvitationBody }) { token }: ReadInvitationBody): Promise<object> {
    const { email, roles, expiresAt } = await this.passwords.invitation(token);
    return { object: 'invitation', email, roles, expires_at: expiresAt.toISOString() };
  }

  @Post('accept')
  @HttpCode(200)
  @ApiErrors('not_found', 'forbidden', 'rate_limited')
  @ApiOperationDocs({
    operationId: 'acceptInvitation',
    summary: 'Set a password',
    description: 'The link works once. Sign in afterwards.',
    tag: TAG,
    public: true,
    request: { example: { token: TOKEN, password: 'correct horse battery' } },
    success: {
      description: 'The password is set.',
      schema: acceptedInvitationSchema,
      example: { object: 'invitation', email: 'kim@example.com', accepted: true },
    },
  })
  async accept(
    @Body({ schema: acceptInvitationBody }) { token, password }: AcceptInvitationBody,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<object> {
    const { email } = await this.passwords.accept(token, password, clientOf(req, res));
    return { object: 'invitation', email, accepted: true };
  }
}
