import type { Config } from '../../platform/config.js';
import type { Database } from '../../platform/database/database.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { NO_LONGER_LISTED } from '../../offers/chain-registration.service.js';
import { type ChainView, NetworkViews, troubleOf } from '../../offers/network-views.service.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { PriceMarketModule } from '../../pricing/price-market.module.js';
import { PriceMarket } from '../../pricing/price-market.service.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { ReorgedDepositsModule } from '../../suspense/reorged-deposits.module.js';
import { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import { DepositsWithoutPocket } from '../../suspense/deposits-without-pocket.service.js';
import { SuspenseOperationsModule } from '../../suspense/suspense-operations.module.js';
import { SweepOperationsModule } from '../../treasury/sweeps/sweep-operations.module.js';
import { SweepOperations } from '../../treasury/sweeps/sweep-operations.service.js';
import { PayoutHealthReader } from '../../withdrawals/payouts/payout-health-reader.service.js';
import { PayoutHealthModule } from '../../withdrawals/payouts/payout-health.module.js';
import type { CommandServices } from '../command-services.js';
import { checkBooks } from './doctor-books.js';
import { checkDeposits } from './doctor-deposits.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';
import { checkPayouts } from './doctor-payouts.js';
import { checkPrices } from './doctor-prices.js';
import { checkRights } from './doctor-rights.js';
import { checkSanctions } from './doctor-sanctions.js';
import {
  countOverdue,
  disabledTokens,
  hasMigrations,
  mostDeadLetters,
  poolLevels,
  serverVersion,
  wrongAddresses,
} from './doctor.sql.js';

/** The pool is refilled before it falls below this share of its target. */
const POOL_LOW = 0.25;
/** Enough to find the cause, which many addresses share. */
const ADDRESSES_SHOWN = 10;
/** After this time a due delivery means that no worker runs. */
const OVERDUE_SECONDS = 120;

/** The modules whose services the checks use. */
export const DOCTOR_MODULES = [
  ReorgedDepositsModule,
  NetworksModule,
  PayoutHealthModule,
  PriceMarketModule,
  SanctionsModule,
  SuspenseOperationsModule,
  SweepOperationsModule,
];

/** Checks the state of the service in its database. Changes nothing. */
export async function checkDatabase({ database, orm, url, get }: CommandServices, config: Config): Promise<Finding[]> {
  const [server] = await database.rows(serverVersion);
  const reachable = ok('database', `PostgreSQL ${server?.version}`);
  const [table] = await database.rows(hasMigrations);
  // On an empty database the migrator would create its table, and doctor must change nothing.
  const pending = table?.isKnown === true ? (await orm.migrator.getPending()).map(({ name }) => name) : ['all of them'];
  if (pending.length > 0) {
    return [
      reachable,
      fail('migrations', `not applied: ${pending.join(', ')}`, 'npx coffer migrate, or start the service'),
    ];
  }
  return [
    reachable,
    ok('migrations', 'all applied'),
    // The embedded one is read as its owner.
    ...(config.embedded ? [] : [await checkRights(database, url)]),
    ...(await checkChains(get(NetworkViews))),
    await checkSecondNode(database),
    ...(await checkTokens(database)),
    ...(await checkPool(database, config.walletPoolTarget)),
    ...(await checkAddresses(database)),
    ...(await checkPrices(get(PriceMarket))),
    await checkWorkers(database),
    await checkDeadLetters(database),
    ...(await checkDeposits(get(DepositReversals), get(DepositsWithoutPocket))),
    ...(await checkPayouts(get(PayoutHealthReader), get(SweepOperations))),
    await checkSanctions(get(SanctionsList)),
    await checkBooks(database),
  ];
}

async function checkChains(networks: NetworkViews): Promise<Finding[]> {
  const views = await networks.all();
  if (views.length === 0)
    return [warn('listener', 'no chain is registered', 'start the service with the listener role')];
  return views.map(checkChain);
}

function checkChain(view: ChainView): Finding {
  const name = `listener ${view.environment}/${view.network}`;
  const lag = `${(view.lagMs / 1000).toFixed(1)} s behind, at block ${view.height}`;
  if (view.haltedReason !== null)
    return fail(name, `halted: ${view.haltedReason}`, 'correct its RPC URL and restart the listener');
  if (view.pausedAt !== null) {
    return warn(
      name,
      `paused by staff, at block ${view.height}`,
      'resume it in the console (Networks), or by npx coffer networks resume',
    );
  }
  if (view.finalityDoubt !== null) {
    return fail(
      name,
      `nothing becomes final: ${view.finalityDoubt}`,
      'find out which node is on the wrong fork, remove it from the RPC URLs and restart the listener',
    );
  }
  const trouble = troubleOf(view);
  if (trouble === null) return ok(name, lag);
  if (trouble.status === 'disabled') {
    return fail(name, 'no token is enabled', 'compare the token contracts with the chain');
  }
  return warn(name, `${lag}. ${trouble.reason}`, 'start the listener, or check its log and the RPC nodes');
}

/** Counts payments that only wait for a second node to report them. */
async function checkSecondNode(database: Database): Promise<Finding> {
  const waiting = await database.em().count(Deposit, { status: 'seen', secondNodeDueAt: { $ne: null } });
  if (waiting === 0) return ok('second node', 'no payment waits for one');
  return warn(
    'second node',
    `${waiting} payments are final at one node, and no second node has reported them`,
    'search the log of the listener for "A node denies a deposit.", and check the RPC nodes',
  );
}

/** Listed tokens that are disabled. The status of their network does not show them, since its other tokens work. */
async function checkTokens(database: Database): Promise<Finding[]> {
  const rows = await database.rows(disabledTokens(NO_LONGER_LISTED));
  const advice = 'compare the catalogue of tokens with the contract, and check the RPC node';
  return rows.map(({ name, reason }) => fail(`token ${name}`, `switched off: ${reason}`, advice));
}

async function checkPool(database: Database, target: number): Promise<Finding[]> {
  const levels = await database.rows(poolLevels);
  const advice = 'start a process with the vault role, which fills the pool';
  if (levels.length === 0) return [warn('wallet pool', 'no address was derived yet', advice)];
  return levels.map(({ environment, family, free }) => {
    const name = `wallet pool ${environment}/${family}`;
    const detail = `${free} free addresses of ${target}`;
    if (free === '0') return fail(name, detail, advice);
    return Number(free) < target * POOL_LOW ? warn(name, detail, advice) : ok(name, detail);
  });
}

/** Stored addresses that differ from those that the vault derives. They were removed from the pool, or belong to an intent. */
async function checkAddresses(database: Database): Promise<Finding[]> {
  const rows = await database.rows(wrongAddresses(ADDRESSES_SHOWN));
  return rows.map(({ place, address, derivedAddress: derived, intentId: intent }) =>
    fail(
      `address ${place}`,
      `${address} is stored, and the vault derives ${derived ?? 'nothing'}; ${intent === null ? 'it is never assigned' : `${intent} has it`}`,
      'find out what changed the row: see docs/operations.md, "An address that is not ours"',
    ),
  );
}

async function checkWorkers(database: Database): Promise<Finding> {
  const [row] = await database.rows(countOverdue(OVERDUE_SECONDS));
  if (row?.overdue === '0') return ok('worker', 'no webhook is overdue');
  return warn('worker', `${row?.overdue} webhooks are due for minutes`, 'start a process with the worker role');
}

/** Names the endpoint with the most dead letters. Those of deleted endpoints do not count: they cannot be sent again. */
async function checkDeadLetters(database: Database): Promise<Finding> {
  const [row] = await database.rows(mostDeadLetters);
  if (row === undefined) return ok('dead letters', 'none');
  const since = new Date(row.since).toISOString();
  return warn(
    'dead letters',
    `${row.total} webhooks were given up`,
    'see what the receivers answered (npx coffer deliveries list --status dead_letter, deliveries show). Once they work ' +
      `again, run for each endpoint: npx coffer deliveries recover --endpoint ${row.endpointId} --since ${since}`,
  );
}
