import { Module } from '@nestjs/common';
import { DeliveriesAdminModule } from './deliveries/deliveries-admin.module.js';
import { EndpointsAdminModule } from './endpoints/endpoints-admin.module.js';
import { InvitationsAdminModule } from './invitations/invitations-admin.module.js';
import { SessionAdminModule } from './session/session-admin.module.js';

/** The API of the console. One module for each of its subjects. */
@Module({ imports: [SessionAdminModule, InvitationsAdminModule, DeliveriesAdminModule, EndpointsAdminModule] })
export class AdminModule {}
