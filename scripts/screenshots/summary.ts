import type { MonthSandbox } from '../month/month-sandbox.ts';

const COUNTS: Readonly<Record<string, string>> = {
  'Payment intents': `select status || ' on ' || network as name, count(*) from payment_intent group by 1 order by 1`,
  Deposits: `select concat_ws(' ', status, held_as, unattributed_reason) as name, count(*) from deposit group by 1 order by 1`,
  Withdrawals: 'select status as name, count(*) from withdrawal group by 1 order by 1',
  Deliveries: 'select status as name, count(*) from delivery group by 1 order by 1',
  'Audit entries': 'select action as name, count(*) from audit_entry group by 1 order by 1',
};

/** What is in a sandbox, a line for each kind. */
export async function summaryOf(sandbox: MonthSandbox): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [kind, statement] of Object.entries(COUNTS)) {
    const rows = await sandbox.query<{ name: string; count: string }>(statement);
    lines.push(`${kind}: ${rows.map(({ name, count }) => `${count} ${name}`).join(', ')}`);
  }
  return lines;
}
