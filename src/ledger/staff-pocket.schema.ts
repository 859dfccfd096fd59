import { z } from 'zod';
import { NETWORKS } from '../domain/network.js';
import { LIST_QUERY } from '../http/pagination.js';
import { queryOf, safeText } from '../http/request-schema.js';

const FILTERS = {
  merchant_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only pockets of this merchant.' }),
  network: z.enum(NETWORKS).optional().meta({ description: 'Only pockets on this network.' }),
  token: safeText({ min: 1, max: 32 }).optional().meta({ description: 'Only pockets of this token.' }),
};

/** Query of the list of pockets for staff. */
export const listStaffPocketsQuery = queryOf({ ...LIST_QUERY, ...FILTERS });
export type ListStaffPocketsQuery = z.infer<typeof listStaffPocketsQuery>;
export type StaffPocketFilter = Omit<ListStaffPocketsQuery, 'limit' | 'starting_after'>;
