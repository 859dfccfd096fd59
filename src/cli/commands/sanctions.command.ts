import { createReadStream } from 'node:fs';
import { addressFormOf } from '../../domain/address-form.js';
import { hasErrorCode } from '../../platform/processes.js';
import { replaceList } from '../../sanctions/list-writer.js';
import { ListRefused, type PublishedList } from '../../sanctions/published-list.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { type ListStatus, SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { readSdnAdvanced } from '../../sanctions/sdn-advanced.js';
import { CommandFailure, defineCommand, EXIT, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import type { Terminal } from '../terminal.js';

const needs = { modules: [SanctionsModule] };
const SOURCE = 'https://sanctionslist.ofac.treas.gov';

/** `sanctions import`. */
export const sanctionsImport = defineCommand({
  usage: 'sanctions import FILE',
  example: 'npx coffer sanctions import sdn_advanced.xml',
  details:
    `Replaces the current list by sdn_advanced.xml, the list of OFAC from ${SOURCE}. Every process uses\n` +
    'it at once. Refused, without a change, are a damaged file, a list older than the current one, and one with less than\n' +
    'half of its addresses.',
  options: {
    force: { type: 'boolean', about: 'Import a list that is older than the current one, or much shorter.' },
  },
  positionals: { count: 1 },
  run: async ({ values, positionals: [path = ''] }, context) => {
    const { terminal } = context;
    const list = await orRefused(() => readFile(path));
    return withServices(context, needs, async ({ database, get }) => {
      const change = await orRefused(() =>
        database.transaction((tx) => replaceList(tx, list, { force: values.force === true })),
      );
      if (change === null) {
        terminal.line('This file is already the current list.');
        return EXIT.fine;
      }
      for (const { family, key } of change.removed) terminal.line(`no longer listed: ${key} (${family})`);
      terminal.line(`${change.added} addresses are new, ${change.removed.length} are no longer listed.`);
      await printStatus(get(SanctionsList), terminal);
      return EXIT.fine;
    });
  },
});

async function readFile(path: string): Promise<PublishedList> {
  try {
    return await readSdnAdvanced(createReadStream(path));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'EISDIR', 'EACCES')) throw new UsageError(`${path} cannot be read.`);
    throw error;
  }
}

async function orRefused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ListRefused)) throw error;
    const advice = `download sdn_advanced.xml again from ${SOURCE}; --force imports a list that is older or shorter.`;
    throw new CommandFailure(`${error.message} Nothing was changed.`, advice, { cause: error });
  }
}

/** `sanctions status`. */
export const sanctionsStatus = defineCommand({
  usage: 'sanctions status',
  example: 'npx coffer sanctions status',
  details: 'Exits 1 if there is no list.',
  options: { json: { type: 'boolean', about: 'Print JSON.' } },
  run: ({ values }, context) =>
    withServices(context, needs, async ({ get }) => {
      const status = await printStatus(get(SanctionsList), context.terminal, values.json);
      return status === null ? EXIT.bad : EXIT.fine;
    }),
});

async function printStatus(list: SanctionsList, terminal: Terminal, isJson = false): Promise<ListStatus | null> {
  const status = await list.status();
  if (status === null) {
    terminal.problem('There is no sanctions list. Start the service, which loads one.');
    return null;
  }
  const { source, publishedOn, importedAt, ageDays, isStale, addresses, removed } = status;
  if (isJson) {
    terminal.json({
      object: 'sanctions_list',
      source,
      published_on: publishedOn,
      imported_at: importedAt.toISOString(),
      age_days: ageDays,
      stale: isStale,
      addresses,
      removed,
    });
    return status;
  }
  const { evm, tron, solana, other } = addresses;
  terminal.line(`${source}, published on ${publishedOn}, ${ageDays} days ago; imported at ${importedAt.toISOString()}`);
  terminal.line(
    `screened: ${evm} evm, ${tron} tron, ${solana} solana · of other chains: ${other} · removed: ${removed}`,
  );
  if (isStale)
    terminal.problem(`This list is old. Download the current sdn_advanced.xml from ${SOURCE} and import it.`);
  return status;
}

/** `sanctions check`. */
export const sanctionsCheck = defineCommand({
  usage: 'sanctions check ADDRESS',
  example: 'npx coffer sanctions check 0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  details: 'Exits 1 if the address is on the current list.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [address = ''] }, context) =>
    withServices(context, needs, async ({ get }) => {
      const list = get(SanctionsList);
      const status = await list.status();
      if (status === null)
        throw new CommandFailure('There is no sanctions list.', 'start the service, which loads one.');
      const periods = await list.periodsOf(address);
      const { terminal } = context;
      for (const { name, since, until } of periods) {
        const of = name === null ? '' : ` as an address of ${name}`;
        terminal.line(`listed${of} since the list of ${since}${until === null ? '' : `, until that of ${until}`}`);
      }
      if (periods.some(({ until }) => until === null)) return EXIT.bad;
      // A mistyped address is on no list: that must not look like a clean result.
      if (periods.length === 0 && addressFormOf(address).family === 'other') {
        throw new UsageError(`${address} is not an EVM, Tron or Solana address, and as written it is on no list.`);
      }
      terminal.line(`not on the current list: ${status.source}, published on ${status.publishedOn}`);
      return EXIT.fine;
    }),
});
