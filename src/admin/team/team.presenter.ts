import type { TeamMember } from '../../staff/team.service.js';
import { presentTime, presentTimeOrNull } from '../amount.js';
import type { TeamMemberObject } from './team.schema.js';

/** A member of staff as their colleagues see them. */
export const presentMember = (member: TeamMember): TeamMemberObject => ({
  id: member.id,
  object: 'team_member',
  email: member.email,
  roles: { sandbox: member.sandboxRole, live: member.liveRole },
  status: member.status,
  totp_enabled: member.hasTotp,
  created_at: presentTime(member.createdAt),
  last_sign_in_at: presentTimeOrNull(member.lastSignInAt),
  sessions_hidden: member.isHidden,
  sessions: member.sessions.map(({ id, address, createdAt, lastActiveAt }) => ({
    id,
    address,
    created_at: presentTime(createdAt),
    last_active_at: presentTime(lastActiveAt),
  })),
});
