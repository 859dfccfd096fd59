import type { operations } from '../../api/schema.d.ts';

type Query = NonNullable<operations['listStaffWithdrawals']['parameters']['query']>;

export const STATUS_WORDS = ['broadcasting', 'completed', 'failed'] as const;

/** The filters and the cursor of the list, as they stand in the address. */
export interface WithdrawalsSearch {
  status: (typeof STATUS_WORDS)[number];
  waits_for: 'approval';
  network: 'ethereum' | 'polygon' | 'bnb' | 'solana' | 'tron';
  merchant_id: string;
  pocket_id: string;
  destination: string;
  created_gte: string;
  created_lt: string;
  after: string;
}

/** The query of the service for filters of the address. */
export function queryOf({ after, ...filters }: Partial<WithdrawalsSearch>): Query {
  return { ...filters, limit: 25, ...(after !== undefined && { starting_after: after }) };
}
