import { type ConsoleService, startConsole } from './console-service.js';
import { buildPages, type ConsoleBrowser, openBrowser } from './console-world.js';

/** A service with the api role alone, and Chromium on its console: for flows that need no chain. */
export interface LightConsole extends ConsoleService, Pick<ConsoleBrowser, 'flow' | 'open'> {}

export async function startLightConsole(options: Parameters<typeof startConsole>[0] = {}): Promise<LightConsole> {
  buildPages();
  const service = await startConsole(options);
  const browser = await openBrowser(service);
  return {
    ...service,
    flow: (run, flowOptions) => browser.flow(run, flowOptions),
    open: (flowOptions) => browser.open(flowOptions),
    stop: async () => {
      await browser.close();
      await service.stop();
    },
  };
}
