import { setTimeout as sleep } from 'node:timers/promises';
import { ROLES, type Role } from '../../src/platform/config.js';
import { eventually } from '../support/eventually.js';
import type { Fleet } from '../support/fleet.js';
import type { FleetMember } from '../support/fleet-member.js';
import type { SeededRandom } from '../support/seeded-random.js';
import { query } from '../support/sql.js';

const IN_ORDER_SHARE = 0.2;
const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 2_500;
/** Starts cost processor time that the fleet needs too. */
const STARTING_MAX = 2;

/** Faults of the servers, once each. */
const DISASTERS = ['FLUSHALL', 'Redis killed', 'PostgreSQL connections cut'] as const;
type Disaster = (typeof DISASTERS)[number];

/**
 * Ends processes of a fleet one after the other, in the order of a seed, and starts each again meanwhile: every role before
 * any comes twice, most by SIGKILL, some by SIGTERM. In between, once each, it empties Redis, kills and starts Redis, and
 * cuts every connection to PostgreSQL.
 */
export class Nemesis {
  /** The number of kills and of orderly stops, by role. */
  readonly killed: Record<Role, number> = { api: 0, worker: 0, listener: 0, vault: 0 };
  readonly stopped: Record<Role, number> = { api: 0, worker: 0, listener: 0, vault: 0 };
  readonly disasters: Disaster[] = [];
  /** The longest time from the end of a process to the first answer of its successor, in milliseconds. */
  slowestStartMs = 0;
  private readonly starting = new Map<FleetMember, Promise<void>>();

  constructor(
    private readonly fleet: Fleet,
    private readonly random: SeededRandom,
  ) {}

  /**
   * Runs for this long, and until every role and fault had its turn. All processes are started again when this resolves.
   */
  async rage(forMs: number): Promise<void> {
    const from = performance.now();
    const kinds = this.random.shuffled(ROLES);
    const due = this.random.shuffled(DISASTERS);
    for (let strike = 0; performance.now() - from < forMs || strike < kinds.length || due.length > 0; strike++) {
      const share = (performance.now() - from) / forMs;
      const disaster = share > (this.disasters.length + 1) / (DISASTERS.length + 1) ? due.pop() : undefined;
      if (disaster !== undefined) await this.bring(disaster);
      if (this.starting.size >= STARTING_MAX) await Promise.race(this.starting.values());
      const isFirst = strike < kinds.length;
      await this.strike(kinds[strike] ?? this.random.pick(ROLES), !isFirst && this.random.chance(IN_ORDER_SHARE));
      await sleep(this.random.between(PAUSE_MIN_MS, PAUSE_MAX_MS));
    }
    await Promise.all(this.starting.values());
  }

  /** Ends a process of this role and has it started again; one that is starting already is left alone. */
  private async strike(kind: Role, inOrder: boolean): Promise<void> {
    const member = this.random.pick(this.fleet.of(kind));
    if (this.starting.has(member)) return;
    const exit = await member.end(inOrder ? 'SIGTERM' : 'SIGKILL');
    if (inOrder && exit.code !== 0) throw new Error(`${member.name} did not stop in order: ${member.printed}`);
    (inOrder ? this.stopped : this.killed)[kind]++;
    this.starting.set(member, this.start(member));
  }

  private async start(member: FleetMember): Promise<void> {
    const from = performance.now();
    await member.start();
    this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - from);
    this.starting.delete(member);
  }

  private async bring(disaster: Disaster): Promise<void> {
    const { redis, db } = this.fleet;
    if (disaster === 'FLUSHALL') await redis.flush();
    if (disaster === 'Redis killed') {
      await redis.kill();
      await redis.boot();
    }
    if (disaster === 'PostgreSQL connections cut') {
      await eventually(() =>
        query(
          db.database,
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`,
        ),
      );
    }
    this.disasters.push(disaster);
  }
}
