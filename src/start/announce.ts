import { NetworkViews, statusOf } from '../networks/network-views.service.js';
import type { Config } from '../platform/config.js';
import { VERSION } from './api-tags.js';
import { firstRunBanner, type SandboxInfo, writeSandboxFile } from './first-run.js';
import type { RunningService } from './service.js';

/** Waits until payments can be collected, writes `sandbox.json`, and tells the person at the terminal what runs where. */
export async function announce(config: Config, service: RunningService, startedAtMs: number): Promise<void> {
  const { account, stack } = service;
  const isReady = await service.untilReady();
  if (account === null || stack === null) return;
  const info: SandboxInfo = {
    apiUrl: service.url,
    apiKey: account.apiKey,
    merchantId: account.merchantId,
    chains: stack.devChains,
  };
  await writeSandboxFile(config.dataDir, info);
  if (!isReady) process.stderr.write('coffer: not every network is ready yet; see /health/ready.\n');
  if (config.http.port !== 0 && service.port !== config.http.port) {
    process.stderr.write(`coffer: port ${config.http.port} is taken, so the API listens on ${service.port}.\n`);
  }
  process.stdout.write(
    firstRunBanner({
      ...info,
      version: VERSION,
      readyMs: performance.now() - startedAtMs,
      dataDir: config.dataDir,
      isNewKey: account.isNew,
      databasePort: config.embedded ? Number(new URL(stack.databaseUrl).port) : null,
      listeners: await listenerStates(service),
    }),
  );
}

async function listenerStates(service: RunningService): Promise<Record<string, string>> {
  const views = await service.get(NetworkViews).all();
  return Object.fromEntries(views.map((view) => [view.network, statusOf(view)]));
}
