import { Module } from '@nestjs/common';
import { InvitationsAdminModule } from './invitations/invitations-admin.module.js';
import { SessionAdminModule } from './session/session-admin.module.js';

/** The API of the console. One module for each of its subjects. */
@Module({ imports: [SessionAdminModule, InvitationsAdminModule] })
export class AdminModule {}
