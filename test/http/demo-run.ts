import { writeSandboxFile } from '../../src/app/start/first-run.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import { runCommand } from '../support/cli-run.js';
import type { World } from '../support/world.js';

/** Runs `npm run demo` against a world, and expects that all of its steps pass. */
export async function expectDemo(world: World, network: EvmNetwork, token: string): Promise<void> {
  const { url: apiUrl, apiKey, merchantId, dataDir } = world;
  await writeSandboxFile(dataDir, {
    apiUrl,
    apiKey,
    merchantId,
    chains: [world.chain(network).chain],
    pockets: {},
    admin: { email: 'admin@localhost', password: null },
  });
  const run = await runCommand(['demo', '--network', network, '--token', token], { DATA_DIR: dataDir });
  expect(run).toEqual({ code: 0, out: expect.stringContaining('All 10 steps passed'), err: '' });
  expect(run.out).toContain(`in ${token} on ${network}`);
}
