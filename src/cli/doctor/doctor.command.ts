import { type Config, ConfigError, type Role } from '../../platform/config.js';
import { readIfPresent } from '../../platform/database/postmaster-file.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { type CommandContext, defineCommand, EXIT } from '../command.js';
import { commandConfig } from '../command-config.js';
import { withServices } from '../command-services.js';
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
import { checkChainNodes } from './doctor-chain-nodes.js';
import { explain } from '../commands/explain.js';
import { columns, type Terminal } from '../terminal.js';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** `doctor`. */
export const doctor = defineCommand({
  usage: 'doctor',
  example: 'npx coffer doctor',
  details: 'Checks everything and changes nothing. Exits 1 if a check fails, not for warnings.',
  options: { json: { type: 'boolean', about: 'Print JSON, one finding per line.' } },
  run: async ({ values }, context) => {
    const configuration = checkConfiguration(context);
    const findings = [checkNode(process.versions.node), ...configuration.findings];
    findings.push(...(await checkInstallation(context, configuration.roles)));
    if (values.json) findings.forEach((finding) => context.terminal.json(finding));
    else print(findings, context.terminal);
    return findings.some(({ level }) => level === 'fail') ? EXIT.bad : EXIT.fine;
  },
});

async function checkInstallation(context: CommandContext, roles: ReadonlySet<Role>): Promise<Finding[]> {
  const config = usableConfig(context);
  if (config === null) return [];
  return [
    ...checkNodes(config),
    ...(await checkChainNodes(config)),
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

function print(findings: readonly Finding[], terminal: Terminal): void {
  const lines = columns(findings.map(({ level, check, detail }) => [level, check, detail]));
  findings.forEach(({ level, fix }, index) => {
    const line = lines[index] ?? '';
    terminal.line(terminal.paint(COLOURS[level], line.slice(0, level.length)) + line.slice(level.length));
    if (fix !== null) terminal.line(`      fix: ${fix}`);
  });
}
