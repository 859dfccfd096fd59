import type { Config, Role } from '../../platform/config.js';
import { ConfigError } from '../../platform/config-error.js';
import { readIfPresent } from '../../platform/database/postmaster-file.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { type CommandContext, defineCommand, EXIT, type ExitCode } from '../command.js';
import { commandConfig } from '../command-config.js';
import { withServices } from '../command-services.js';
import { checkConsole } from './doctor-console.js';
import { checkDatabase, DOCTOR_MODULES } from './doctor-database.js';
import { fail, type Finding, warn } from './doctor-finding.js';
import {
  checkConfiguration,
  checkDataDir,
  checkNode,
  checkNodes,
  checkSecretFiles,
  checkService,
  checkVault,
} from './doctor-machine.js';
import { checkConfiguredNodes, examineNetwork, printNodes } from './doctor-network.js';
import { printFindings } from './print-findings.js';
import { explain } from '../commands/explain.js';

/** `doctor`. */
export const doctor = defineCommand({
  usage: 'doctor',
  example: 'npx coffer doctor --network polygon',
  details:
    'Checks everything and changes nothing. With --network it examines the nodes of a network alone, and prints all that it ' +
    'finds: see docs/going-live.md. Exits 1 if a check fails, not for warnings.',
  options: {
    network: { type: 'string', value: 'NAME', about: 'Examine the nodes of this network, or of all: `all`.' },
    json: { type: 'boolean', about: 'Print JSON, one finding per line.' },
  },
  run: async ({ values }, context) => {
    if (values.network !== undefined) return examine(values.network, values.json === true, context);
    const configuration = checkConfiguration(context);
    const findings = [checkNode(process.versions.node), ...configuration.findings];
    findings.push(...(await checkInstallation(context, configuration.roles)));
    if (values.json) findings.forEach((finding) => context.terminal.json(finding));
    else printFindings(findings, context.terminal);
    return findings.some(({ level }) => level === 'fail') ? EXIT.bad : EXIT.fine;
  },
});

/** Examines nodes alone: no database is asked. */
async function examine(network: string, asJson: boolean, context: CommandContext): Promise<ExitCode> {
  const nodes = await examineNetwork(commandConfig(context), network);
  if (asJson) {
    for (const { chain, node, findings } of nodes) {
      for (const finding of findings) context.terminal.json({ chain, node, ...finding });
    }
  } else {
    printNodes(nodes, context.terminal);
  }
  const isBad = nodes.some(({ findings }) => findings.some(({ level }) => level === 'fail'));
  return isBad ? EXIT.bad : EXIT.fine;
}

async function checkInstallation(context: CommandContext, roles: ReadonlySet<Role>): Promise<Finding[]> {
  const config = usableConfig(context);
  if (config === null) return [];
  return [
    checkConsole(config),
    ...checkNodes(config),
    ...(await checkConfiguredNodes(config)),
    await checkDataDir(config.dataDir),
    ...(await checkSecretFiles(config.dataDir)),
    ...(roles.has('vault') ? [await checkVault(config)] : []),
    ...(await checkService(config)),
    ...(await checkInstalledDatabase(context, config)),
  ];
}

/** Returns null when the configuration is not even fit for a command; `checkConfiguration` reports why. */
function usableConfig(context: CommandContext): Config | null {
  try {
    return commandConfig(context);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

async function checkInstalledDatabase(context: CommandContext, config: Config): Promise<Finding[]> {
  const isMissing =
    config.embedded && (await readIfPresent(`${dataFilesOf(config.dataDir).postgres}/PG_VERSION`)) === null;
  if (isMissing) return [warn('database', 'the embedded one was not created yet', 'npm start creates it')];
  try {
    const needs = { modules: DOCTOR_MODULES, migrated: false };
    return await withServices(context, needs, (services) => checkDatabase(services, config));
  } catch (error) {
    return [
      fail(
        'database',
        explain(error).join(' Because: '),
        config.embedded ? 'npm start shows more' : 'check DATABASE_URL and the server',
      ),
    ];
  }
}
