import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { queryOf, safeText, timestampText } from '../../http/request-schema.js';
import { STAFF_ROLES } from '../../staff/permissions.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

const exact = (description: string) => safeText({ min: 1, max: 254 }).optional().meta({ description });
const FILTERS = {
  place: z
    .enum(['environment', 'outside'])
    .optional()
    .meta({ description: 'Only actions in this environment, or only those outside of both: commands and sign-ins.' }),
  actor: exact('The author, exactly: an e-mail address, or a user of a shell.'),
  action: exact('The action, exactly, such as `endpoint.disable`.'),
  subject: exact('The id of the object, exactly.'),
  created_gte: timestampText().optional().meta({ description: 'At or after this time.' }),
  created_lt: timestampText().optional().meta({ description: 'Before this time.' }),
};

export const listAuditQuery = queryOf({ ...LIST_QUERY, ...FILTERS });
export type ListAuditQuery = z.infer<typeof listAuditQuery>;
export const exportAuditQuery = queryOf(FILTERS);
export type ExportAuditQuery = z.infer<typeof exportAuditQuery>;

const state = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .nullable()
  .meta({ description: 'The changed fields.' });
const auditEntrySchema = z
  .object({
    id: z.string(),
    object: z.literal('audit_entry'),
    actor: z.string().meta({ description: 'The author.' }),
    role: z.enum(STAFF_ROLES).nullable().meta({ description: 'The role of the author in the environment, then.' }),
    environment: z.enum(ENVIRONMENTS).nullable().meta({ description: 'Null for commands and sign-ins.' }),
    action: z.string(),
    action_text: z.string().meta({ description: 'The action in words.', examples: ['Endpoint disabled'] }),
    subject: z.string(),
    reason: z.string().nullable(),
    details: z.record(z.string(), z.string()),
    before: state,
    after: state,
    address: z.string().nullable().meta({ description: 'The address of the client, in the console.' }),
    request_id: z.string().nullable().meta({ description: 'The request in the console, as in the log.' }),
    created_at: timestamp,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryObject = z.infer<typeof auditEntrySchema>;
export const auditListSchema = listPageSchema(auditEntrySchema, 'AuditEntryList');

export const auditSealSchema = z
  .object({
    object: z.literal('audit_seal'),
    holds: z.boolean().nullable().meta({ description: 'Null before the first audit of the books.' }),
    checked_at: timestamp.nullable(),
    sealed_entries: z.int().meta({ description: 'How many entries the last audit found sealed.' }),
    findings: z.array(z.string()),
  })
  .meta({ id: 'AuditSeal' });
export type AuditSealObject = z.infer<typeof auditSealSchema>;
