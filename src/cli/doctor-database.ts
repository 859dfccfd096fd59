import type { Config } from '../platform/config.js';
import type { Database } from '../platform/database/database.js';
import { type ChainView, NetworkViews, statusOf } from '../networks/network-views.service.js';
import type { DatabaseSession } from './database-session.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

/** Below this share of its target the pool should have been filled up by now. */
const POOL_LOW = 0.25;
/** A delivery that is due for this long has no worker. */
const OVERDUE_SECONDS = 120;

/** Everything the database tells about the state of the service. Changes nothing. */
export async function checkDatabase({ database, orm }: DatabaseSession, config: Config): Promise<Finding[]> {
  const [server] = await database.query<{ version: string }>(`select current_setting('server_version') as version`);
  const reachable = ok('database', `PostgreSQL ${server?.version}`);
  const [table] = await database.query<{ known: boolean }>(
    `select to_regclass('schema_migration') is not null as known`,
  );
  // Asked of an empty database, the migrator would make its table: a look changes nothing.
  const pending = table?.known === true ? (await orm.migrator.getPending()).map(({ name }) => name) : ['all of them'];
  if (pending.length > 0) {
    return [
      reachable,
      fail('migrations', `not applied: ${pending.join(', ')}`, 'npx coffer migrate, or start the service'),
    ];
  }
  return [
    reachable,
    ok('migrations', 'all applied'),
    ...(await checkChains(database)),
    ...(await checkPool(database, config.walletPoolTarget)),
    await checkWorkers(database),
    await checkDeadLetters(database),
  ];
}

async function checkChains(database: Database): Promise<Finding[]> {
  const views = await new NetworkViews(database).all();
  if (views.length === 0)
    return [warn('listener', 'no chain is registered', 'start the service with the listener role')];
  return views.map(checkChain);
}

function checkChain(view: ChainView): Finding {
  const name = `listener ${view.environment}/${view.network}`;
  const lag = `${(view.lagMs / 1000).toFixed(1)} s behind, at block ${view.height}`;
  if (view.haltedReason !== null)
    return fail(name, `halted: ${view.haltedReason}`, 'set its RPC URL right and restart the listener');
  const status = statusOf(view);
  if (status === 'ok') return ok(name, lag);
  if (status === 'disabled') return fail(name, 'no token is enabled', 'compare the token contracts with the chain');
  return warn(name, lag, 'start the listener, or look at its log and at the RPC node');
}

async function checkPool(database: Database, target: number): Promise<Finding[]> {
  const levels = await database.query<{ environment: string; family: string; free: string }>(
    `select environment, family, count(*) filter (where intent_id is null and retired_at is null) as free
       from pool_address group by environment, family order by environment, family`,
  );
  const advice = 'start a process with the vault role: it fills the pool';
  if (levels.length === 0) return [warn('wallet pool', 'no address was ever derived', advice)];
  return levels.map(({ environment, family, free }) => {
    const name = `wallet pool ${environment}/${family}`;
    const detail = `${free} free addresses of ${target}`;
    if (free === '0') return fail(name, detail, advice);
    return Number(free) < target * POOL_LOW ? warn(name, detail, advice) : ok(name, detail);
  });
}

async function checkWorkers(database: Database): Promise<Finding> {
  const [row] = await database.query<{ overdue: string }>(
    `select count(*) as overdue from delivery join webhook_endpoint endpoint on endpoint.id = delivery.endpoint_id
      where delivery.status = 'pending' and endpoint.enabled and delivery.due_at < now() - $1::int * interval '1 second'`,
    [OVERDUE_SECONDS],
  );
  if (row?.overdue === '0') return ok('worker', 'no webhook waits longer than it should');
  return warn('worker', `${row?.overdue} webhooks are due for minutes`, 'start a process with the worker role');
}

async function checkDeadLetters(database: Database): Promise<Finding> {
  const [row] = await database.query<{ count: string; endpoint_id: string | null; since: string | null }>(
    `select count(*) as count, min(endpoint_id) as endpoint_id, min(last.created_at) as since
       from delivery last
      where status = 'dead_letter' and not exists (
        select from delivery later
         where later.event_id = last.event_id and later.endpoint_id = last.endpoint_id and later.series > last.series)`,
  );
  if (row === undefined || row.count === '0') return ok('dead letters', 'none');
  const command = `npx coffer deliveries replay --endpoint ${row.endpoint_id} --since ${row.since}`;
  return warn(
    'dead letters',
    `${row.count} webhooks were given up`,
    `mend the receivers, then for each endpoint ${command}`,
  );
}
