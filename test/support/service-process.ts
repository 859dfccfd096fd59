import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { coinOf } from '../../src/chains/networks.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import { devAccount } from '../../src/devtools/devnet/dev-accounts.js';
import { DevChainControls } from './dev-chain-controls.js';
import { ApiClient } from './api-client.js';
import type { ServiceBuild } from './service-build.js';

const KEPT_CACHE = new URL('kept-compile-cache.mjs', import.meta.url).href;
const READY_LINE = /API +(http:\S+)\/v1/;

const SANDBOX = z.object({
  api_key: z.string(),
  merchant_id: z.string(),
  networks: z.record(
    z.string(),
    z.object({
      rpc_url: z.string(),
      chain_id: z.number(),
      tokens: z.record(z.string(), z.object({ address: z.string().nullable(), decimals: z.number() })),
    }),
  ),
});
export type Sandbox = z.infer<typeof SANDBOX>;

/** The exit of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceProcessOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Modules to load before the service. */
  readonly imports?: readonly string[];
}

/** The service as its users run it, in a separate process. */
export class ServiceProcess {
  /** Resolves when it has ended. */
  readonly exited: Promise<Exit>;
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
  ) {
    this.exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    const keep = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
  }

  /** Starts it; it is not ready yet. */
  static spawn({ main }: ServiceBuild, { dataDir, env = {}, imports = [] }: ServiceProcessOptions): ServiceProcess {
    const flags = ['--no-warnings', ...[KEPT_CACHE, ...imports].flatMap((module) => ['--import', module])];
    const child = spawn(process.execPath, [...flags, main], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        NODE_ENV: 'test',
        DATA_DIR: dataDir,
        PORT: '0',
        LOG_LEVEL: 'warn',
        // By default no sweeps use the nonces of the hot wallets.
        SWEEP_FEE_SHARE_BPS: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, dataDir);
  }

  /** Starts it and waits until payments can be collected. @throws Error with its output when it ends before. */
  static async start(build: ServiceBuild, options: ServiceProcessOptions): Promise<ServiceProcess> {
    const service = ServiceProcess.spawn(build, options);
    await service.ready();
    return service;
  }

  /** Everything it has printed so far. */
  get printed(): string {
    return this.output;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Waits for the line with the address of the API. @throws Error with its output when it ends before. */
  async ready(): Promise<void> {
    const { stdout } = this.child;
    while (!READY_LINE.test(this.output)) {
      const ended = await Promise.race([this.exited, once(stdout ?? this.child, 'data').then(() => null)]);
      if (ended !== null) throw new Error(`The service ended (${ended.code ?? ended.signal}): ${this.output}`);
    }
  }

  get url(): string {
    const url = READY_LINE.exec(this.output)?.[1];
    if (url === undefined) throw new Error('The service is not ready.');
    return url;
  }

  /** The content of its `sandbox.json`. */
  async sandbox(): Promise<Sandbox> {
    return SANDBOX.parse(JSON.parse(await readFile(join(this.dataDir, 'sandbox.json'), 'utf8')));
  }

  async api(): Promise<ApiClient> {
    return new ApiClient(this.url, (await this.sandbox()).api_key);
  }

  /** One of its development chains, which keeps running unless the service is stopped in order. */
  async chain(network: EvmNetwork): Promise<DevChainControls> {
    const shown = (await this.sandbox()).networks[network];
    if (shown === undefined) throw new Error(`This service runs no ${network}.`);
    const tokens = Object.entries(shown.tokens).flatMap(([symbol, { address, decimals }]) =>
      address === null ? [] : [[symbol, { address, decimals }] as const],
    );
    return new DevChainControls({
      network,
      rpcUrl: shown.rpc_url,
      wsUrl: shown.rpc_url.replace(/^http/, 'ws'),
      chainId: shown.chain_id,
      genesisHash: '',
      coin: coinOf(network),
      tokens: Object.fromEntries(tokens),
      faucet: devAccount('faucet'),
      sandboxPayer: devAccount('sandboxPayer'),
      origin: 'adopted',
      pausedFor: (work) => work(),
      stop: () => Promise.resolve(),
    });
  }

  /** Kills it, like a power failure. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Stops it in order. */
  async stop(): Promise<Exit> {
    this.child.kill('SIGTERM');
    return this.exited;
  }
}
