import { Module } from '@nestjs/common';
import { StaffModule } from '../../staff/staff.module.js';
import { InvitationsController } from './invitations.controller.js';

/** The invitation of a member of staff, whose token is in the link. */
@Module({ imports: [StaffModule], controllers: [InvitationsController] })
export class InvitationsAdminModule {}
