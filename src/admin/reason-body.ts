import { z } from 'zod';
import { bodyOf, safeText } from '../http/request-schema.js';

/** Why a member of staff does something. */
export const reason = safeText({ min: 1, max: 500 }).meta({ description: 'Why, for the audit log.' });

/** The body of an action that needs nothing but a reason. */
export const reasonBody = bodyOf({ reason }).meta({ id: 'StaffReason' });
export type ReasonBody = z.infer<typeof reasonBody>;
