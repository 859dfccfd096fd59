import type { Database } from '../../src/platform/database/database.js';
import { queryOne } from '../support/sql.js';

/** The reason of every decision in these tests. */
export const WHY = { reason: 'ticket 7' };
export const KIM = 'kim@example.com';
export const LEE = 'lee@example.com';

/** How often the audit has an action on an object. */
export async function countOf(database: Database, action: string, subject: string): Promise<number> {
  const sql = 'select count(*)::int as count from audit_entry where action = $1 and subject = $2';
  return (await queryOne<{ count: number }>(database, sql, [action, subject])).count;
}

/** What a merchant's pockets have available together, in smallest units. */
export async function availableOf(database: Database, merchantId: string): Promise<string> {
  const sql = `select coalesce(sum(balance), 0)::text as balance from account
                where merchant_id = $1 and kind = 'pocket_available'`;
  return (await queryOne<{ balance: string }>(database, sql, [merchantId])).balance;
}
