/**
 * Takes pictures of every page of the console, 1280 and 390 wide, light and dark, on a sandbox with a month behind it
 * (`scripts/month/month.ts`). Exit code 1 when the books of the month do not verify, or a page does not show.
 * Run: `npm run screenshots -- [--intents N] [--out DIR] [--only NAME] [--readme] [--keep] [--no-pictures]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeMonth, type Month } from './month/month.ts';
import { Camera } from './screenshots/camera.ts';
import { takeReadmePictures } from './screenshots/readme-pictures.ts';
import { summaryOf } from './screenshots/summary.ts';
import { visitsOf } from './screenshots/visits.ts';

const ROOT = join(import.meta.dirname, '..');
const INTENTS = 2_000;
const HELP = `usage: npm run screenshots -- [options]

  --intents N     makes a month of N payment intents (default ${INTENTS})
  --out DIR       writes the pictures there (default .data/screenshots)
  --only NAME     only pages whose picture has NAME in its name
  --readme        also takes the pictures of docs/images again
  --no-pictures   makes the month and verifies it
  --keep          prints how to sign in, and keeps the sandbox running until Ctrl+C`;

const { values } = parseArgs({
  options: {
    intents: { type: 'string', default: String(INTENTS) },
    out: { type: 'string', default: join(ROOT, '.data', 'screenshots') },
    only: { type: 'string', default: '' },
    readme: { type: 'boolean', default: false },
    'no-pictures': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(HELP);
else if (!/^[1-9]\d{0,4}$/.test(values.intents)) {
  console.error(`--intents is a whole number from 1 to 99999, not ${values.intents}.`);
  process.exitCode = 2;
} else process.exitCode = (await run(Number(values.intents))) ? 0 : 1;

async function run(intents: number): Promise<boolean> {
  const begun = performance.now();
  const report = (line: string): void => {
    console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
  };
  const dir = mkdtempSync(join(tmpdir(), 'coffer-month-'));
  try {
    const month = await makeMonth(dir, intents, report);
    try {
      for (const line of await summaryOf(month.sandbox)) report(line);
      const isClean = await verify(month, report);
      const areTaken = values['no-pictures'] || (await takePictures(month, report));
      if (values.keep) await untilInterrupted(month);
      return isClean && areTaken && month.failures.length === 0;
    } finally {
      await month.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function verify({ sandbox }: Month, report: (line: string) => void): Promise<boolean> {
  try {
    await sandbox.coffer('verify');
    report('The books verify clean.');
    return true;
  } catch (error) {
    report(String(error));
    return false;
  }
}

async function takePictures({ sandbox, team }: Month, report: (line: string) => void): Promise<boolean> {
  await team.owner.signIn();
  const { visits, missing } = await visitsOf(async (statement) => {
    const [row] = await sandbox.query<{ id: string }>(statement);
    return row?.id ?? null;
  });
  for (const name of missing) report(`The month has nothing for ${name}.`);
  const camera = await Camera.open({ url: sandbox.service.url, cookie: team.owner.sessionCookie });
  const failed: string[] = [];
  try {
    for (const visit of visits.filter(({ name }) => name.includes(values.only))) {
      try {
        await camera.takeAll(visit, values.out);
        report(visit.name);
      } catch (error) {
        failed.push(visit.name);
        report(`${visit.name}: ${String(error)}`);
      }
    }
    if (values.readme) await takeReadmePictures(camera, visits, join(ROOT, 'docs', 'images'));
  } finally {
    await camera.close();
  }
  return failed.length === 0;
}

async function untilInterrupted({ sandbox, team }: Month): Promise<void> {
  const { url, admin } = sandbox.service;
  console.log(`\n  ${url}/admin   ${team.owner.email} / ${admin?.password ?? ''}\n  Ctrl+C ends it.`);
  const waiting = setInterval(() => undefined, 60_000);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  clearInterval(waiting);
}
