import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Database } from '../../platform/database/database.js';
import {
  actorOf,
  CurrentSession,
  CurrentStaff,
  RequirePermission,
  type SignedIn,
  type StaffCaller,
} from '../../staff/staff-access.js';
import { Team, type TeamOrder } from '../../staff/team.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentMember } from './team.presenter.js';
import {
  type LockedMember,
  lockedMemberSchema,
  type LockMemberBody,
  lockMemberBody,
  teamListSchema,
  type TeamMemberObject,
} from './team.schema.js';

const TAG = 'Team';
const REASON = { example: { reason: 'They have left.' } };

/** The members of staff. They are invited, reset and given roles in a shell. */
@EnvironmentController('team')
@RequirePermission('team.read')
export class TeamAdminController {
  constructor(
    private readonly database: Database,
    private readonly team: Team,
  ) {}

  @Get()
  @ApiOperationDocs({
    operationId: 'listTeam',
    summary: 'List the members of staff',
    description: 'Those with a role in this environment, and those without any, by their addresses. It has one page.',
    tag: TAG,
    success: { description: 'The members.', schema: teamListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @CurrentSession() { session }: SignedIn,
  ): Promise<ListPage<TeamMemberObject>> {
    const members = await this.team.list(environment, session);
    return listPage(members.map(presentMember), members.length);
  }

  @Post(':id/disable')
  @RequirePermission('team.lock')
  @HttpCode(200)
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'disableMember',
    summary: 'Disable a member who is no administrator',
    description: 'Ends their sessions and invitations. Needs the role admin wherever they have a role.',
    tag: TAG,
    request: REASON,
    success: { description: 'They cannot sign in.', schema: lockedMemberSchema },
  })
  async disable(
    @CurrentStaff() staff: StaffCaller,
    @CurrentSession() signedIn: SignedIn,
    @Param('id') id: string,
    @Body({ schema: lockMemberBody }) { reason }: LockMemberBody,
  ): Promise<LockedMember> {
    await this.database.transaction((tx) => this.team.disable(tx, id, orderOf(staff, signedIn, reason)));
    return { object: 'locked_member', id, disabled: true };
  }

  @Post(':id/end-sessions')
  @RequirePermission('team.lock')
  @HttpCode(200)
  @ApiOperationDocs({
    operationId: 'endMemberSessions',
    summary: 'End the sessions of a member',
    description: 'Of oneself, all but this one. Needs the role admin wherever they have a role.',
    tag: TAG,
    request: REASON,
    success: { description: 'They must sign in again.', schema: lockedMemberSchema },
  })
  async endSessions(
    @CurrentStaff() staff: StaffCaller,
    @CurrentSession() signedIn: SignedIn,
    @Param('id') id: string,
    @Body({ schema: lockMemberBody }) { reason }: LockMemberBody,
  ): Promise<LockedMember> {
    const member = await this.database.transaction((tx) =>
      this.team.endSessions(tx, id, orderOf(staff, signedIn, reason)),
    );
    return { object: 'locked_member', id, disabled: member.disabledAt !== null };
  }
}

const orderOf = (staff: StaffCaller, { session }: SignedIn, reason: string): TeamOrder => ({
  session,
  author: actorOf(staff),
  reason,
});
