import { z } from 'zod';
import { bodyOf } from '../../http/request-schema.js';
import { listPageSchema } from '../../http/pagination.js';
import { timestamp } from '../deliveries/deliveries.schema.js';
import { reasonText } from '../merchants/merchants.schema.js';
import { rolesSchema } from '../session/session.schema.js';

const teamSessionSchema = z.object({
  id: z.string(),
  address: z.string().meta({ description: 'The address of the client at the sign-in.' }),
  created_at: timestamp,
  last_active_at: timestamp,
});

const teamMemberSchema = z
  .object({
    id: z.string(),
    object: z.literal('team_member'),
    email: z.string(),
    roles: rolesSchema,
    status: z.enum(['invited', 'active', 'disabled']),
    totp_enabled: z.boolean(),
    created_at: timestamp,
    last_sign_in_at: timestamp.nullable(),
    sessions_hidden: z.boolean().meta({
      description:
        'Whether sign-ins and sessions are left out, since the member has a role where the reader is no administrator.',
    }),
    sessions: z.array(teamSessionSchema).meta({ description: 'Those that are open, the last used one first.' }),
  })
  .meta({ id: 'TeamMember' });
export type TeamMemberObject = z.infer<typeof teamMemberSchema>;
export const teamListSchema = listPageSchema(teamMemberSchema, 'TeamMemberList');

export const lockMemberBody = bodyOf({ reason: reasonText() }).meta({ id: 'LockMember' });
export type LockMemberBody = z.infer<typeof lockMemberBody>;

export const lockedMemberSchema = z
  .object({
    object: z.literal('locked_member'),
    id: z.string(),
    disabled: z.boolean(),
  })
  .meta({ id: 'LockedMember' });
export type LockedMember = z.infer<typeof lockedMemberSchema>;
