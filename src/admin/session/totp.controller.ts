import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { StaffOnly } from '../../auth/scopes.js';
import { NoBody } from '../../http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Database } from '../../platform/database/database.js';
import { ConsoleSite } from '../../staff/console-site.service.js';
import { setToken } from '../../staff/session-cookie.js';
import { BeforeSecondFactor, CurrentSession, type SignedIn } from '../../staff/staff-access.js';
import { TotpSetup } from '../../staff/totp-setup.service.js';
import { type ConfirmTotpBody, confirmTotpBody, recoveryCodesSchema, totpSecretSchema } from './session.schema.js';

const TAG = 'Session';
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** The authenticator of a member of staff. */
@Controller('admin/api/session/totp')
@StaffOnly()
@BeforeSecondFactor()
export class TotpController {
  constructor(
    private readonly database: Database,
    private readonly site: ConsoleSite,
    private readonly setup: TotpSetup,
  ) {}

  @Post()
  @HttpCode(200)
  @NoBody()
  @ApiErrors('step_up_required')
  @ApiOperationDocs({
    operationId: 'beginTotp',
    summary: 'Begin to set up an authenticator',
    description: 'A present authenticator stays in use until a code of the new one is confirmed.',
    tag: TAG,
    success: {
      description: 'The secret of the new authenticator.',
      schema: totpSecretSchema,
      example: {
        object: 'totp_secret',
        secret: SECRET,
        otpauth_uri: `otpauth://totp/Coffer:kim%40example.com?issuer=Coffer&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
      },
    },
  })
  async begin(@CurrentSession() signedIn: SignedIn): Promise<object> {
    const { secret, otpauthUri } = await this.database.transaction((tx) => this.setup.begin(tx, signedIn));
    return { object: 'totp_secret', secret, otpauth_uri: otpauthUri };
  }

  @Post('confirm')
  @HttpCode(200)
  @ApiErrors('step_up_required')
  @ApiOperationDocs({
    operationId: 'confirmTotp',
    summary: 'Take the new authenticator into use',
    description: 'Ends all other sessions of the member. This one gets a new cookie.',
    tag: TAG,
    request: { example: { code: '123456' } },
    success: {
      description: 'The recovery codes, which are shown only here.',
      schema: recoveryCodesSchema,
      example: { object: 'recovery_codes', recovery_codes: ['1f2e3-4d5c6-b7a89-90abc'] },
    },
  })
  async confirm(
    @CurrentSession() signedIn: SignedIn,
    @Body({ schema: confirmTotpBody }) { code }: ConfirmTotpBody,
    @Res({ passthrough: true }) res: Response,
  ): Promise<object> {
    const { recoveryCodes, issued } = await this.database.transaction((tx) => this.setup.confirm(tx, signedIn, code));
    setToken(res, this.site.cookie, issued.token);
    return { object: 'recovery_codes', recovery_codes: recoveryCodes };
  }
}
