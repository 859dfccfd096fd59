/**
 * Measures what the service promises and prints it beside the limits: `npm run bench`. `--quick` measures little and keeps
 * nothing, and names of rows (`create generate lists start`) measure those alone.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, keepResults, tableOf } from './report.ts';
import { measureCreate } from './rows/create.ts';
import { measureGenerateAddress } from './rows/generate-address.ts';
import { measureLists } from './rows/lists.ts';
import { measureRest, measureStarts } from './rows/start.ts';
import { measureWebhookLatency } from './rows/webhook-latency.ts';
import { checkSameStatements } from './same-statements.ts';
import { setStage } from './stage.ts';

const args = process.argv.slice(2);
const isQuick = args.includes('--quick');
const named = args.filter((arg) => !arg.startsWith('--'));
const isWanted = (row: string): boolean => named.length === 0 || named.includes(row);

const SIZES = isQuick
  ? { pairs: 2, requests: 1_000, rows: 50_000, lists: 20, settleMs: 5_000, watchMs: 5_000, payments: 3 }
  : { pairs: 7, requests: 4_000, rows: 1_000_000, lists: 200, settleMs: 20_000, watchMs: 20_000, payments: 20 };

const NOTES = [
  'create, generate-address: the service and the bare server (node:http and pg) answer slices of the same load in turns, on ' +
    "one database; the ratio is the median of the pairs'. That both send the same statements is checked in PostgreSQL's " +
    'log. The rate limit is off; the service runs all its roles and logs at level info.',
  'Latency under load is that of 32 connections which wait for nothing else.',
  'Lists: the median of 200 requests on one connection; "deep" is the page in the middle of the filtered list.',
];

/** Progress, for whoever waits. */
function tell(figure: Figure): Figure {
  process.stderr.write(`${figure.name}: ${figure.measured} (${figure.limit})\n`);
  return figure;
}

/** Rows that need no chains: one database, the service, the bare server. */
async function onStage(dir: string): Promise<{ figures: Figure[]; postgres: string }> {
  const figures: Figure[] = [];
  const stage = await setStage(dir);
  try {
    await checkSameStatements(stage);
    if (isWanted('create')) figures.push(tell(await measureCreate(stage, SIZES)));
    if (isWanted('generate')) figures.push(tell(await measureGenerateAddress(stage, SIZES)));
    if (isWanted('lists'))
      figures.push(...(await measureLists(stage, { rows: SIZES.rows, requests: SIZES.lists })).map(tell));
    const [version] = await stage.query<{ server_version: string }>('show server_version');
    return { figures, postgres: version?.server_version ?? 'unknown' };
  } finally {
    await stage.close();
  }
}

/** Rows about the sandbox as `npm start` runs it. */
async function inSandbox(dir: string): Promise<Figure[]> {
  const { figures, service } = await measureStarts(dir);
  try {
    const rest = [...(await measureRest(service, SIZES)), await measureWebhookLatency(service, SIZES.payments)];
    return [...figures, ...rest].map(tell);
  } finally {
    await service.stop();
  }
}

const dir = mkdtempSync(join(tmpdir(), 'coffer-bench-'));
// PostgreSQL may run as another user, who has to pass through.
chmodSync(dir, 0o711);
try {
  const { figures, postgres } = await onStage(join(dir, 'stage'));
  if (isWanted('start')) figures.push(...(await inSandbox(join(dir, 'sandbox'))));
  console.log(tableOf(figures));
  if (!isQuick && named.length === 0) keepResults(figures, NOTES, postgres);
  process.exitCode = figures.every((figure) => figure.isMet) ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
