import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { buildService, type ServiceBuild } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';

/** A network that does not exist: its entry of the catalogue, and nothing else. */
const ENTRY = `
  avalon: {
    coin: 'ETH',
    hotWalletIndex: 3,
    minDepth: 20,
    finalizedTagDepth: 0,
    blockIntervalMs: 1_000,
    gas: { tipMin: 10_000_000n, tipMax: 20_000_000_000n, feeMax: 300_000_000_000n },
    live: {
      chainId: 900_001,
      tokens: [
        { symbol: 'USDC', contract: '0x1111111111111111111111111111111111111111', decimals: 6 },
        { symbol: 'USDT', contract: '0x2222222222222222222222222222222222222222', decimals: 18 },
      ],
    },
    sandbox: { chainId: 900_002, tokens: [] },
    development: { chainId: 31_340, port: 8548, deployerIndex: 6, minDepth: 3 },
  },`;

let build: ServiceBuild;
let built: string;
let dir: SandboxDir;
let service: ServiceProcess | undefined;
beforeAll(async () => {
  const { main } = await buildService();
  const original = dirname(dirname(main));
  built = `${original}-avalon`;
  await cp(original, built, { recursive: true, verbatimSymlinks: true });
  const catalogue = join(built, 'src', 'domain', 'evm-catalogue.js');
  const source = await readFile(catalogue, 'utf8');
  const start = 'export const EVM_CATALOGUE = {';
  expect(source.split(start)).toHaveLength(2);
  await writeFile(catalogue, source.replace(start, `${start}${ENTRY}`));
  build = { main: join(built, 'src', 'main.js') };
  dir = await sandboxDir();
  service = await ServiceProcess.start(build, { dataDir: dir.path, env: { DEV_CHAINS: 'avalon' } });
});
afterAll(async () => {
  await service?.stop();
  await dir.remove();
  await rm(built, { recursive: true, force: true });
});

/** Runs a command of the changed build. */
const coffer = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['--no-warnings', join(built, 'src', 'cli.js'), ...args], {
    env: { PATH: process.env['PATH'], DATA_DIR: dir.path },
  });

describe('an EVM network that is added by one entry of the catalogue', () => {
  it.each(['USDT', 'ETH'])('is paid in %s, pays a withdrawal, and sends both webhooks', async (token) => {
    const { stdout } = await coffer('demo', '--network', 'avalon', '--token', token, '--json');
    const steps = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(steps).toHaveLength(10);
    expect(stdout).not.toContain('"failed"');
  });

  it('proves its books', async () => {
    const { stdout } = await coffer('verify');
    expect(stdout).toContain('The books hold');
  });
});
