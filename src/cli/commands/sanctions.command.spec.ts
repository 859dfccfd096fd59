import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { sdnAdvanced, type SdnFileTraits } from '../../../test/support/sdn-advanced.js';
import { readFirstList } from '../../sanctions/first-list.js';
import { ensureFirstList } from '../../sanctions/list-writer.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { checkSanctions } from '../doctor/doctor-sanctions.js';

const TORNADO = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';
const NEW = '0x00000000000000000000000000000000DeaDBeef';

let db: TestDatabase;
let dir: string;
beforeEach(async () => {
  [db, dir] = await Promise.all([freshDatabase(), mkdtemp(join(tmpdir(), 'coffer-sanctions-'))]);
});
afterEach(async () => {
  await db.drop();
  await rm(dir, { recursive: true });
});

const coffer = (...args: string[]): Promise<CliRun> => runCommand(['sanctions', ...args], { DATABASE_URL: db.url });

async function fileOf(traits: SdnFileTraits): Promise<string> {
  const path = join(dir, 'sdn_advanced.xml');
  await writeFile(path, await sdnAdvanced(traits));
  return path;
}

/** Today in UTC, for the age of lists. */
const today = (): string => new Date().toISOString().slice(0, 10);

it('replaces the first list by the official file, prints the changes, and checks with the new list', async () => {
  await ensureFirstList(db.database);
  expect(await checkSanctions(new SanctionsList(db.database))).toMatchObject({
    level: 'warn',
    detail: expect.stringMatching(/^snapshot-2024-09-27, published \d+ days ago$/),
    fix: expect.stringContaining('npx coffer sanctions import'),
  });
  expect(await coffer('check', TORNADO.toLowerCase())).toMatchObject({
    code: 1,
    out: 'listed since the list of 2024-09-27\n',
  });
  const kept = (await readFirstList()).addresses.filter(({ key }) => key !== TORNADO.toLowerCase());
  const path = await fileOf({
    publishedOn: today(),
    bystanders: 3000,
    parties: [
      { name: 'Someone Else', addresses: kept.map(({ key }) => ['XBT', key] as const) },
      { name: 'Someone New', addresses: [['ETH', NEW]] },
    ],
  });
  const imported = await coffer('import', path);
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect(imported.out.split('\n')).toEqual([
    `no longer listed: ${TORNADO.toLowerCase()} (evm)`,
    '1 addresses are new, 1 are no longer listed.',
    expect.stringMatching(`^sdn_advanced, published on ${today()}, 0 days ago; imported at .*Z$`),
    'screened: 156 evm, 18 tron, 0 solana · of other chains: 437 · removed: 1',
    '',
  ]);
  expect(await coffer('check', NEW.toUpperCase())).toMatchObject({
    code: 1,
    out: `listed as an address of Someone New since the list of ${today()}\n`,
  });
  expect(await coffer('check', TORNADO)).toMatchObject({
    code: 0,
    out:
      `listed since the list of 2024-09-27, until that of ${today()}\n` +
      `not on the current list: sdn_advanced, published on ${today()}\n`,
  });
  expect(await checkSanctions(new SanctionsList(db.database))).toMatchObject({ level: 'ok' });
  expect((await coffer('import', path)).out).toBe('This file is already the current list.\n');
});

it('refuses a damaged or much shorter file, changes nothing, and prints what to try', async () => {
  await ensureFirstList(db.database);
  const before = await coffer('status', '--json');
  const parties = [{ name: 'Someone', addresses: [['ETH', NEW]] }] as const;
  const short = await fileOf({ publishedOn: today(), parties });
  expect(await coffer('import', short)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /has 1 addresses, and the current one 611: .* Nothing was changed\.\nWhat to try: .*--force/,
    ),
  });
  await writeFile(short, (await sdnAdvanced({ publishedOn: today(), parties, bystanders: 500 })).slice(0, -100));
  expect(await coffer('import', short, '--force')).toMatchObject({ code: 1, err: expect.stringMatching(/cut off/) });
  expect(await coffer('import', await fileOf({ publishedOn: today(), parties: [] }), '--force')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no digital currency address at all/),
  });
  expect(await coffer('import', join(dir, 'none.xml'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(/read\./),
  });
  expect(await coffer('status', '--json')).toEqual(before);
  expect(JSON.parse(before.out)).toMatchObject({
    object: 'sanctions_list',
    source: 'snapshot-2024-09-27',
    published_on: '2024-09-27',
    stale: true,
    addresses: { evm: 156, tron: 18, solana: 0, other: 437 },
    removed: 0,
  });
  expect((await coffer('import', await fileOf({ publishedOn: today(), parties }), '--force')).code).toBe(0);
});

it('[I-120] clears no text that is not an address, such as the hex form of a Tron address', async () => {
  await ensureFirstList(db.database);
  for (const typed of ['410E5BDAE6A6A87A2F5E7F9B46E87D8E4C4B3E2D1F', TORNADO.slice(2), `${TORNADO}0`, 'vitalik.eth']) {
    expect(await coffer('check', typed)).toMatchObject({ code: 2, out: '' });
  }
  // Of a chain that is not served, and on the list as written.
  expect((await coffer('check', '123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX')).code).toBe(1);
  expect((await coffer('check', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).code).toBe(0);
});

it('reports a missing list, instead of clearing every address', async () => {
  expect((await coffer('status')).code).toBe(1);
  expect((await coffer('check', TORNADO)).code).toBe(1);
  expect(await checkSanctions(new SanctionsList(db.database))).toMatchObject({
    level: 'warn',
    detail: expect.stringMatching(/none/),
  });
});
