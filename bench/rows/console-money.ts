import { makeBusy } from '../busy-intent.ts';
import { newId } from '../compiled.ts';
import { type ConsoleView, measureViews } from '../console-figures.ts';
import { idOf, pages, searches } from '../console-pages.ts';
import { ConsoleSession } from '../console-session.ts';
import { loadDeliveries } from '../deliveries-table.ts';
import { viewOf } from '../filtered-list.ts';
import { loadIntents } from '../intents-table.ts';
import { auditLists, requestLists } from '../log-lists.ts';
import { loadLogs } from '../logs-table.ts';
import { exceptionLists, withdrawalLists } from '../money-lists.ts';
import { loadOddDeposits } from '../odd-deposits.ts';
import { PlanLog } from '../plan-log.ts';
import { loadPockets } from '../pockets-table.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';
import { loadMoney } from '../withdrawals-table.ts';

/** Counts all addresses, at most every 30 s in a process. */
const COUNTS_ALL = '/wallet-pool';

interface Sizes {
  readonly rows: number;
  readonly requests: number;
}

/**
 * Measures what the console shows of withdrawals, pockets, deposits, requests and the audit log, its search and its timeline,
 * among a million intents, deposits, withdrawals, entries, deliveries, logged requests and audit entries, while intents are
 * created.
 */
export async function measureConsoleMoney(stage: Stage, { rows, requests }: Sizes): Promise<Figure[]> {
  const views = await loaded(stage, rows);
  const plans = await PlanLog.open(stage);
  try {
    await plans.assertIndexed(views.flatMap(({ paths }) => paths).filter((path) => path !== COUNTS_ALL));
  } finally {
    await plans.close();
  }
  const session = await ConsoleSession.open(stage.service);
  try {
    return await measureViews(stage, session, views, requests);
  } finally {
    await session.close();
  }
}

/** Fills the tables; returns what to look at in them. */
async function loaded(stage: Stage, rows: number): Promise<ConsoleView[]> {
  const [big, small] = [newId('mer_'), newId('mer_')];
  const merchantIds = await loadIntents(stage, { rows, big, small });
  await loadDeliveries(stage, rows);
  await loadPockets(stage, merchantIds);
  await loadMoney(stage, rows, merchantIds);
  await loadOddDeposits(stage, rows);
  const keyId = await loadLogs(stage, rows, merchantIds);
  const busy = idOf('pi', rows);
  await makeBusy(stage, busy);
  const lists = [
    ...withdrawalLists({ merchantId: big, pocketId: idOf('pkt', 1) }),
    ...exceptionLists(),
    ...requestLists({ merchantId: big, keyId }),
    ...auditLists(),
  ];
  const views: ConsoleView[] = [];
  for (const list of lists) views.push(await viewOf(stage, list));
  return [...views, ...pages(rows, busy), ...searches(rows)];
}
