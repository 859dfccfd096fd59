import { z } from 'zod';
import { NETWORKS } from '../domain/network.js';
import { WITHDRAWAL_STATUSES } from '../domain/withdrawal.js';
import { addressText } from '../http/chain-text.js';
import { LIST_QUERY } from '../http/pagination.js';
import { queryOf, safeText, timestampText } from '../http/request-schema.js';

/** The filters of the list of withdrawals for staff; each stands on an index, also in combination. */
const STAFF_WITHDRAWAL_FILTERS = {
  status: z.enum(WITHDRAWAL_STATUSES).optional().meta({ description: 'Only withdrawals in this status.' }),
  waits_for: z.enum(['approval']).optional().meta({ description: 'Only withdrawals that need an approval.' }),
  merchant_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only withdrawals of this merchant.' }),
  pocket_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only withdrawals from this pocket.' }),
  network: z.enum(NETWORKS).optional().meta({ description: 'Only withdrawals on this network.' }),
  destination: addressText().optional().meta({
    description: 'Only withdrawals to this address. The case of an EVM address does not matter.',
  }),
  created_gte: timestampText().optional().meta({ description: 'Created at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Created before this moment.' }),
};

/** Query of the list of withdrawals for staff. */
export const listStaffWithdrawalsQuery = queryOf({ ...LIST_QUERY, ...STAFF_WITHDRAWAL_FILTERS });
export type ListStaffWithdrawalsQuery = z.infer<typeof listStaffWithdrawalsQuery>;

/** Query of the export of withdrawals. */
export const exportStaffWithdrawalsQuery = queryOf(STAFF_WITHDRAWAL_FILTERS);
export type StaffWithdrawalFilter = z.infer<typeof exportStaffWithdrawalsQuery>;
