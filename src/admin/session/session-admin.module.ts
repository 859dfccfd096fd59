import { Module } from '@nestjs/common';
import { StaffModule } from '../../staff/staff.module.js';
import { SessionController } from './session.controller.js';
import { TotpController } from './totp.controller.js';

/** The session of a member of staff, and their proofs of identity. */
@Module({ imports: [StaffModule], controllers: [SessionController, TotpController] })
export class SessionAdminModule {}
