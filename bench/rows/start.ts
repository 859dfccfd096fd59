import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { IS_OTHER_BUILD } from '../compiled.ts';
import { processorShare } from '../processor-time.ts';
import type { Figure } from '../report.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const FIRST_READY_MAX_MS = 15_000;
const NEXT_READY_MAX_MS = 5_000;
const RSS_MAX_MB = 400;
const IDLE_CPU_MAX = 3;
const PAGE_BYTES = 4_096;
const MB = 2 ** 20;

/** The command of a user, which builds first; another build than the repository's is started directly. */
const COMMAND = IS_OTHER_BUILD ? undefined : (['npm', 'start'] as const);

/** Measures the time to ready of the first start on an empty data directory and of the next one, which keeps running. */
export async function measureStarts(dataDir: string): Promise<{ figures: Figure[]; service: ServiceProcess }> {
  const options = { dataDir, ...(COMMAND && { command: COMMAND }) };
  const first = await startService(options);
  await first.stop();
  const service = await startService(options);
  const figure = (name: string, readyMs: number, limitMs: number): Figure => ({
    name,
    measured: `${(readyMs / 1000).toFixed(1)} s`,
    limit: `<= ${limitMs / 1000} s`,
    isMet: readyMs <= limitMs,
  });
  return {
    service,
    figures: [
      figure(`${COMMAND?.join(' ') ?? 'start'}, first run`, first.readyMs, FIRST_READY_MAX_MS),
      figure(`${COMMAND?.join(' ') ?? 'start'}, next run`, service.readyMs, NEXT_READY_MAX_MS),
    ],
  };
}

/** Measures memory and processor time of the service's process while it is idle. */
export async function measureRest(
  { pid }: ServiceProcess,
  { settleMs, watchMs }: { settleMs: number; watchMs: number },
): Promise<Figure[]> {
  await sleep(settleMs);
  const share = await processorShare(pid, watchMs);
  const rss = (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / MB;
  return [
    { name: 'memory at rest', measured: `${rss.toFixed(0)} MB`, limit: `< ${RSS_MAX_MB} MB`, isMet: rss < RSS_MAX_MB },
    {
      name: 'processor when idle',
      measured: `${share.toFixed(1)} % of a core`,
      limit: `< ${IDLE_CPU_MAX} %`,
      isMet: share < IDLE_CPU_MAX,
    },
  ];
}
