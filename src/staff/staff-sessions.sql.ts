import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { StaffMember } from './staff-member.entity.js';
import { StaffSession } from './staff-session.entity.js';

const session = table(StaffSession);
const member = table(StaffMember);

/** A session is open: not ended, not too old, not idle for too long, of a member who is not disabled. */
const isOpen = (idleMinutes: number) => sql`
  ${session.endedAt} is null and ${session.expiresAt} > clock_timestamp()
     and ${session.lastActiveAt} > clock_timestamp() - interval '1 minute' * ${idleMinutes}::int
     and ${member.disabledAt} is null`;

/** Finds an open session. */
export const findSession = (tokenHash: string, idleMinutes: number) => sql`
  select ${out(session, 'id', 'staffId', 'lastActiveAt', 'expiresAt', 'provedAt')},
         ${out(member, 'email', 'sandboxRole', 'liveRole')},
         ${member.totpSecret} is not null ${as.boolean('totpEnabled')}
    from ${session} join ${member} on ${member.id} = ${session.staffId}
   where ${session.tokenHash} = ${tokenHash} and ${isOpen(idleMinutes)}`;

/** Reads which of these sessions are open, with the present roles of their members. */
export const sessionsOpenAmong = (ids: readonly string[], idleMinutes: number) => sql`
  select ${out(session, 'id')}, ${out(member, 'sandboxRole', 'liveRole')}
    from ${session} join ${member} on ${member.id} = ${session.staffId}
   where ${session.id} = any(${ids}) and ${isOpen(idleMinutes)}`;

/** Notes that a session is in use, unless that was noted within some seconds. */
export const noteActivity = (id: string) => sql`
  update ${session} set ${set(session, { lastActiveAt: sql`clock_timestamp()` })}
   where ${session.id} = ${id} and ${session.lastActiveAt} < clock_timestamp() - interval '10 seconds'
  returning ${out(session, 'lastActiveAt')}`;

/** Gives an open session a new token, after a proof of identity. */
export const renewSession = (id: string, tokenHash: string) => sql`
  update ${session}
     set ${set(session, { tokenHash, provedAt: sql`clock_timestamp()`, lastActiveAt: sql`clock_timestamp()` })}
   where ${session.id} = ${id} and ${session.endedAt} is null
  returning ${out(session, 'id')}`;

/** Ends a session by its token. */
export const endSession = (tokenHash: string) => sql`
  update ${session} set ${set(session, { endedAt: sql`clock_timestamp()` })}
   where ${session.tokenHash} = ${tokenHash} and ${session.endedAt} is null
  returning ${out(session, 'id', 'staffId')}`;

/** Ends all sessions of a member, except for one. */
export const endSessionsOf = (staffId: string, except: string | null) => sql`
  update ${session} set ${set(session, { endedAt: sql`clock_timestamp()` })}
   where ${session.staffId} = ${staffId} and ${session.endedAt} is null
     and ${session.id} is distinct from ${except}::text
  returning ${out(session, 'id')}`;

/** Deletes sessions that ended long ago; the audit keeps who signed in. */
export const deleteOldSessions = (limit: number) => sql`
  delete from ${session}
   where ${session.id} in (
     select ${session.id} from ${session} where ${session.expiresAt} < clock_timestamp() - interval '7 days'
      order by ${session.expiresAt} limit ${limit} for update skip locked)
  returning ${out(session, 'id')}`;
