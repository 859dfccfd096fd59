import type { Environment } from '../domain/network.js';
import { AuditEntry } from '../platform/audit-entry.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { StaffMember } from './staff-member.entity.js';

const member = table(StaffMember);
const entry = table(AuditEntry);

/** Reads the members with a role in an environment, or with none anywhere, by their addresses. Sessions are pruned: the audit keeps the last sign-in. */
export const membersIn = (environment: Environment) => sql`
  select ${out(member, 'id', 'email', 'sandboxRole', 'liveRole', 'passwordHash', 'createdAt', 'disabledAt')},
         ${member.totpSecret} is not null ${as.boolean('hasTotp')},
         (select ${entry.createdAt} from ${entry}
           where ${entry.environment} is null and ${entry.subject} = ${member.id} and ${entry.action} = 'session.create'
           order by ${entry.environment} desc, ${entry.createdAt} desc limit 1) ${as.timeOrNull('lastSignInAt')}
    from ${member}
   where case ${environment}::text when 'live' then ${member.liveRole} else ${member.sandboxRole} end <> 'none'
      or (${member.sandboxRole} = 'none' and ${member.liveRole} = 'none')
   order by ${member.email}`;
