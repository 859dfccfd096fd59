import { PocketReader } from '../../ledger/pocket-reader.service.js';
import { NetworkViews, statusOf } from '../../offers/network-views.service.js';
import type { Config } from '../../platform/config.js';
import { VERSION } from '../api-document/api-tags.js';
import { attentionLines, type Trouble } from './attention.js';
import { firstRunBanner, type SandboxInfo, writeSandboxFile } from './first-run.js';
import type { RunningService } from './service.js';

/** Waits until payments can be collected, writes `sandbox.json`, and prints the addresses of all parts to the terminal. */
export async function showStartupBanner(config: Config, service: RunningService): Promise<void> {
  const { account, stack } = service;
  const [isReady, troubles] = await Promise.all([service.untilReady(), showTroubles(service)]);
  if (account === null || stack === null) return;
  const info: SandboxInfo = {
    apiUrl: service.url,
    apiKey: account.apiKey,
    merchantId: account.merchantId,
    chains: stack.devChains,
    admin: { email: account.admin.email, password: account.admin.password },
    pockets: await pocketsOf(service, account.merchantId),
  };
  await writeSandboxFile(config.dataDir, info);
  if (!isReady) process.stderr.write('coffer: Some networks are not ready yet. See /health/ready.\n');
  if (config.http.port !== 0 && service.port !== config.http.port) {
    process.stderr.write(`coffer: Port ${config.http.port} is taken, so the API listens on ${service.port}.\n`);
  }
  process.stdout.write(
    firstRunBanner({
      ...info,
      version: VERSION,
      readyMs: isReady ? performance.now() : null,
      dataDir: config.dataDir,
      isNewKey: account.isNew,
      isNewAdmin: account.admin.isNew,
      databasePort: config.embedded ? Number(new URL(stack.database.url).port) : null,
      listeners: await listenerStates(service),
      troubles,
    }),
  );
}

/** Prints problems at once, because the networks may take a minute to be ready; the banner repeats them. */
async function showTroubles(service: RunningService): Promise<readonly Trouble[]> {
  const troubles = await service.troubles();
  for (const line of attentionLines(troubles)) process.stderr.write(`${line}\n`);
  return troubles;
}

/** Ids of the merchant's pockets by network and token. */
async function pocketsOf(service: RunningService, merchantId: string): Promise<SandboxInfo['pockets']> {
  const { data } = await service.get(PocketReader).list({ merchantId, environment: 'sandbox' }, { limit: 100 });
  const byNetwork = Map.groupBy(data, (pocket) => pocket.network);
  return Object.fromEntries(
    [...byNetwork].map(([network, pockets]) => [
      network,
      Object.fromEntries(pockets.map(({ token, id }) => [token, id])),
    ]),
  );
}

async function listenerStates(service: RunningService): Promise<Record<string, string>> {
  const views = await service.get(NetworkViews).all();
  return Object.fromEntries(views.map((view) => [view.network, statusOf(view)]));
}
