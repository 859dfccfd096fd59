import type { Role } from '../../src/platform/config.js';
import { eventually } from '../support/eventually.js';
import type { Fleet } from '../support/fleet.js';
import type { FleetMember } from '../support/fleet-member.js';
import { query } from '../support/sql.js';

/** The lease of the recurring jobs of workers. */
export const SCHEDULER = 'scheduler';

/** The lease of the one chain that a fleet reads. */
export async function chainLease(fleet: Fleet): Promise<string> {
  const [row] = await query<{ name: string }>(fleet.db.database, `select name from lease where name like 'listener:%'`);
  if (row === undefined) throw new Error('No listener has been elected yet.');
  return row.name;
}

/** Whether this process leads, by its last log line about the lease. */
export function leads(member: FleetMember, lease: string): boolean {
  const words = member.printed.split('\n').filter((line) => line.includes(`"lease":"${lease}"`));
  return words.at(-1)?.includes('"msg":"This process was elected leader."') ?? false;
}

/** Returns the leading process of a role, and one that does not lead. */
export function leaderOf(
  fleet: Fleet,
  kind: Role,
  lease: string,
): Promise<{ leader: FleetMember; standby: FleetMember }> {
  return eventually(() => {
    const leaders = fleet.of(kind).filter((member) => leads(member, lease));
    const [leader] = leaders;
    const standby = fleet.of(kind).find((member) => member !== leader);
    return leaders.length === 1 && leader !== undefined && standby !== undefined ? { leader, standby } : null;
  });
}

/** How often a lease was taken over. */
export async function epochOf(fleet: Fleet, lease: string): Promise<number> {
  const [row] = await query<{ epoch: string }>(fleet.db.database, `select epoch from lease where name = $1`, [lease]);
  return Number(row?.epoch);
}

/** How far the chain has been read, and under which epoch. */
export async function cursorOf(fleet: Fleet): Promise<{ height: number; epoch: number }> {
  const [row] = await query<{ height: string; epoch: string }>(
    fleet.db.database,
    `select height, epoch from chain_cursor`,
  );
  return { height: Number(row?.height), epoch: Number(row?.epoch) };
}
