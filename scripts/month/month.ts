import { place } from '../../bench/compiled.ts';
import { type Incident, INCIDENTS, type Stage } from './incidents.ts';
import { MonthSandbox } from './month-sandbox.ts';
import { inviteTeam, listWallet, openShops, type Team } from './opening.ts';
import { Payouts } from './payouts.ts';
import { Receivers } from './receivers.ts';
import { Trade } from './trade.ts';

const { SeededRandom }: typeof import('../../src/devtools/chaos/seeded-random.js') = await import(
  place('devtools/chaos/seeded-random.js')
);

const DAY_MS = 86_400_000;
const DAYS = 30;
const WAVES_MAX = 120;
const ORDERS_PER_WAVE_MIN = 8;
/** Leaps between two waves: a failing delivery is tried once after each, and six times until it is a dead letter. */
const HOPS = 3;
/** After the last leap: sweeps, refunds and seals of the last hours. */
const AT_REST = `
  select (select count(*) from unsealed_entry) + (select count(*) from delivery
           where status = 'pending' and due_at <= clock.now()) as count`;
const AT_REST_WITHIN_MS = 60_000;

/** A sandbox with a month behind it. */
export interface Month {
  readonly sandbox: MonthSandbox;
  readonly team: Team;
  /** The incidents that failed. */
  readonly failures: readonly string[];
  /** Stops everything. */
  stop(): Promise<void>;
}

/**
 * Makes a month of a sandbox through its real services: HTTP requests of merchants and staff, transfers on five development
 * chains, webhooks to receivers that fail. Only the clock is moved (`moved-clock.ts`): it leaps forward between waves of
 * orders, while nothing is under way, and ends at the true time. What that cannot show: hours within a wave, since its
 * payments are final within seconds; load; and nodes that fail.
 * @param report receives a line for each step
 */
export async function makeMonth(dir: string, intents: number, report: (line: string) => void): Promise<Month> {
  report('Starting PostgreSQL, the service and five chains, 30 days ago.');
  const sandbox = await MonthSandbox.start(dir, DAYS * DAY_MS);
  const random = new SeededRandom(20_261_126);
  const today = (): number => Math.floor(DAYS - sandbox.clock.behindMs / DAY_MS);
  const receivers = await Receivers.listen(today, new SeededRandom(1));
  const stop = async (): Promise<void> => {
    receivers.close();
    await sandbox.stop();
  };
  try {
    const team = await inviteTeam(sandbox);
    const shops = await openShops(sandbox, team, receivers);
    await listWallet(sandbox, dir);
    const merchants = shops.map(({ merchant }) => merchant);
    const stage: Stage = { sandbox, team, shops, payouts: new Payouts(merchants, random) };
    const trade = new Trade({ sandbox, merchants, support: team.kim, random, report });
    const failures = await passMonth(stage, trade, { intents, random, report });
    await sandbox.untilNone(AT_REST, [], AT_REST_WITHIN_MS);
    return { sandbox, team, failures, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Plan {
  readonly intents: number;
  readonly random: InstanceType<typeof SeededRandom>;
  readonly report: (line: string) => void;
}

/** Lets the month pass. Returns which incidents failed. */
async function passMonth(stage: Stage, trade: Trade, { intents, random, report }: Plan): Promise<readonly string[]> {
  const { sandbox, payouts } = stage;
  const waves = Math.max(1, Math.min(WAVES_MAX, Math.floor(intents / ORDERS_PER_WAVE_MIN)));
  const incidents = [...INCIDENTS];
  const failures: string[] = [];
  for (let wave = 1; wave <= waves; wave += 1) {
    const due = Math.round((intents * wave) / waves);
    await trade.wave(due - trade.count);
    if (wave > 1) await payouts.order();
    await mistakes(stage, wave);
    while (incidents[0] !== undefined && incidents[0].after <= wave / waves) {
      const incident = incidents.shift();
      if (incident !== undefined) failures.push(...(await happened(incident, stage, report)));
    }
    const hops = (waves - wave + 1) * HOPS;
    for (let hop = 0; hop < HOPS; hop += 1) {
      // So that no two waves are the same number of hours apart.
      const step = sandbox.clock.behindMs / (hops - hop);
      const isLast = hops - hop === 1;
      await sandbox.leap(isLast ? step : step * (0.6 + random.below(800) / 1_000));
      await trade.untilDelivered();
    }
    const day = new Date(sandbox.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
    report(`${String(trade.count).padStart(5)} of ${intents} intents, ${day}`);
  }
  return failures;
}

/** One incident that fails does not end the month; it makes the run fail at its end. */
async function happened({ what, happen }: Incident, stage: Stage, report: Plan['report']): Promise<readonly string[]> {
  try {
    await happen(stage);
    report(`  ${what}`);
    return [];
  } catch (error) {
    report(`  FAILED: ${what}: ${String(error)}`);
    return [what];
  }
}

/** Requests that the API refuses, as integrators make them. */
async function mistakes({ shops }: Stage, wave: number): Promise<void> {
  const { merchant } = shops[wave % shops.length] ?? {};
  const body = { amount_cents: 2_500, currency: 'EUR', network: 'polygon', token: 'USDC' };
  if (wave % 3 === 0) await merchant?.wrongly('POST', '/payment-intents', body);
  if (wave % 4 === 0) await merchant?.wrongly('GET', '/payment-intents/pi_01jqzk8v6m3n5p7r9t1w2x4y6z');
  if (wave % 5 === 0) await merchant?.wrongly('GET', '/payment-intents?limit=1000');
}
