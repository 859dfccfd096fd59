import { Module } from '@nestjs/common';
import { StaffModule } from '../../staff/staff.module.js';
import { TeamAdminController } from './team.controller.js';

/** The team in the console. */
@Module({ imports: [StaffModule], controllers: [TeamAdminController] })
export class TeamAdminModule {}
