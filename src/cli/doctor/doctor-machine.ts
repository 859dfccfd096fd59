import { access, constants, stat } from 'node:fs/promises';
import { z } from 'zod';
import { type Config, type Role, ROLES } from '../../platform/config.js';
import { ConfigError } from '../../platform/config-error.js';
import { hasErrorCode } from '../../platform/processes.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { vaultVersions } from '../../vault/vault-passphrase.js';
import { ApiClient } from '../api-client.js';
import type { CommandContext } from '../command.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';
import { readSandbox, type Sandbox } from '../sandbox-file.js';

/** The same as `engines` in package.json. */
const NODE_MIN = { major: 22, minor: 18 };
const OTHERS = 0o077;

/** Checks that this Node can run the service. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > NODE_MIN.major || (major === NODE_MIN.major && minor >= NODE_MIN.minor);
  if (fits) return ok('node', version);
  const wanted = `${NODE_MIN.major}.${NODE_MIN.minor}`;
  return fail(
    'node',
    `${version} is older than ${wanted}`,
    'run npm install, which installs a newer Node for npm scripts',
  );
}

/** Checks whether the service could start with this environment, with one finding per bad variable. Returns its roles too. */
export function checkConfiguration({ readConfig }: CommandContext): {
  readonly findings: readonly Finding[];
  readonly roles: ReadonlySet<Role>;
} {
  try {
    const { roles } = readConfig();
    return { findings: [ok('configuration', 'every variable is valid')], roles };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'see README.md, "Configuration"';
    return { findings: error.problems.map((problem) => fail('configuration', problem, advice)), roles: new Set(ROLES) };
  }
}

/** Warns of live networks with a single RPC node. */
export function checkNodes({ rpc, secondNodeAboveCents }: Config): Finding[] {
  const alone = rpc.filter(({ environment, urls }) => environment === 'live' && urls.length === 1);
  return alone.map(({ network }) =>
    warn(
      `nodes live/${network}`,
      `there is one RPC URL, so its node alone confirms payments, also of ${secondNodeAboveCents} cents and more`,
      `add a node of another operator to LIVE_${network.toUpperCase()}_RPC_URL`,
    ),
  );
}

/** Checks that the data directory can be used. If it is missing, the first start creates it. */
export async function checkDataDir(dataDir: string): Promise<Finding> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok('data directory', dataDir);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return ok('data directory', `the first start creates ${dataDir}`);
    return fail('data directory', `${dataDir} cannot be used by this user`, 'change its owner, or set DATA_DIR');
  }
}

/** Checks that only the owner can read the files with secrets. */
export async function checkSecretFiles(dataDir: string): Promise<Finding[]> {
  const { vault, vaultPassphrase, secretsKey, sandbox } = dataFilesOf(dataDir);
  const findings: Finding[] = [];
  for (const path of [vault, vaultPassphrase, secretsKey, sandbox]) {
    const mode = await modeOf(path);
    if (mode !== null && (mode & OTHERS) !== 0) {
      findings.push(fail('secrets', `other users can access ${path}`, `chmod 600 ${path}`));
    }
  }
  return findings;
}

/** Checks that the vault file exists where the vault role reads it. */
export async function checkVault({ dataDir, embedded, devChains, vaultPassphrase }: Config): Promise<Finding> {
  const { vault } = dataFilesOf(dataDir);
  const isLocal = embedded || devChains.length > 0;
  if ((await modeOf(vault)) !== null) {
    if (!isLocal && vaultPassphrase === null) {
      return warn(
        'vault',
        `${vault} stays sealed: VAULT_PASSPHRASE is not set`,
        'set it for the process with the vault role',
      );
    }
    const { previous } = await vaultVersions(vault);
    if ((await modeOf(previous)) === null) return ok('vault', vault);
    const advice =
      'once the vault has started with the new passphrase, run npx coffer vault change-passphrase --forget-previous';
    return warn('vault', `${previous} still opens with the previous passphrase`, advice);
  }
  const back = 'if there was one before, restore its backup instead';
  const advice = embedded
    ? `npm start creates one; ${back}`
    : `on the machine of the vault role, npx coffer vault init creates one; ${back}. Elsewhere set ROLES without vault`;
  return warn('vault', `no file at ${vault}`, advice);
}

async function modeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.mode ?? null;
}

const readiness = z.object({ status: z.string(), can_collect: z.boolean().optional() });

/** Checks whether the sandbox of this data directory answers. Returns nothing for a deployment, which has none. */
export async function checkService({ dataDir, embedded }: Config): Promise<Finding[]> {
  const sandbox = await readSandbox(dataDir);
  if (sandbox !== null) return [await checkSandbox(sandbox)];
  return embedded ? [warn('service', 'no sandbox has started on this DATA_DIR', 'npm start')] : [];
}

async function checkSandbox(sandbox: Sandbox): Promise<Finding> {
  try {
    const { can_collect: canCollect } = await new ApiClient(sandbox.api_url, sandbox.api_key).get(
      '/health/ready',
      readiness,
    );
    if (canCollect === false)
      return warn('service', `${sandbox.api_url} runs but cannot collect payments yet`, 'see the checks below');
    return ok('service', `ready at ${sandbox.api_url}`);
  } catch {
    return warn('service', `not ready at ${sandbox.api_url}`, 'npm start, or check its log');
  }
}
