import { z } from 'zod';
import { LIST_QUERY } from '../../http/pagination.js';
import { queryOf, safeText, timestampText } from '../../http/request-schema.js';
import { networkFilter, statusFilter } from './payment-intent.schema.js';

/** What makes an intent unusual: less arrived than was asked for, or more. */
const UNUSUAL_FILTERS = ['any', 'under', 'over'] as const;
export type UnusualFilter = (typeof UNUSUAL_FILTERS)[number];

/** The filters of the list of intents for staff; each stands on an index, also in combination. */
const STAFF_INTENT_FILTERS = {
  status: statusFilter,
  merchant_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only intents of this merchant.' }),
  network: networkFilter,
  token: safeText({ min: 1, max: 32 }).optional().meta({ description: 'Only intents in this token.' }),
  reference: safeText({ min: 1, max: 255 })
    .optional()
    .meta({ description: 'Only intents with exactly this reference.' }),
  unusual: z.enum(UNUSUAL_FILTERS).optional().meta({
    description:
      'Only intents that ended with too little (`under`) or too much (`over`) money, or with either (`any`).',
  }),
  acknowledged: z.boolean().optional().meta({
    description: 'Only intents that staff acknowledged, or only others; with `unusual`.',
  }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
};

/** Query of the list of intents for staff. */
export const listStaffIntentsQuery = queryOf({ ...LIST_QUERY, ...STAFF_INTENT_FILTERS });
export type ListStaffIntentsQuery = z.infer<typeof listStaffIntentsQuery>;

/** Query of the export of intents. */
export const exportStaffIntentsQuery = queryOf(STAFF_INTENT_FILTERS);
export type StaffIntentFilter = z.infer<typeof exportStaffIntentsQuery>;
