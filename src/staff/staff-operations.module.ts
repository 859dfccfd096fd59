import { Module } from '@nestjs/common';
import { StaffAccounts } from './staff-accounts.service.js';
import { StaffSessions } from './staff-sessions.service.js';
import { Team } from './team.service.js';

/** The accounts of staff, for operators. */
@Module({ providers: [StaffAccounts, StaffSessions, Team], exports: [StaffAccounts, StaffSessions, Team] })
export class StaffOperationsModule {}
