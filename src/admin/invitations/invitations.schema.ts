import { z } from 'zod';
import { bodyOf, safeText } from '../../http/request-schema.js';
import { newPassword, rolesSchema } from '../session/session.schema.js';

const token = () => safeText({ min: 1, max: 64 }).meta({ description: 'The part of the link after `#`.' });

export const readInvitationBody = bodyOf({ token: token() }).meta({ id: 'ReadInvitation' });
export type ReadInvitationBody = z.infer<typeof readInvitationBody>;

export const acceptInvitationBody = bodyOf({ token: token(), password: newPassword() }).meta({
  id: 'AcceptInvitation',
});
export type AcceptInvitationBody = z.infer<typeof acceptInvitationBody>;

export const invitationSchema = z
  .object({
    object: z.literal('invitation'),
    email: z.string(),
    roles: rolesSchema,
    expires_at: z.string(),
  })
  .meta({ id: 'Invitation' });

export const acceptedInvitationSchema = z
  .object({ object: z.literal('invitation'), email: z.string(), accepted: z.literal(true) })
  .meta({ id: 'AcceptedInvitation' });
