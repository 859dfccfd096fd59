import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AddressFamily, Environment } from '../domain/network.js';
import type { WorkerReply, WorkerRequest, WorkerStart } from './derivation.worker.js';
import { VaultError, type DerivedAddress, type Vault } from './vault.js';

const EXTENSION = extname(import.meta.url);

/**
 * The build turns all of this into `.js`, and the worker runs as it is. Under jest the worker is loaded from source by
 * Node itself, which strips the types but does not know that an import of `./x.js` then means `./x.ts`: this hook, run
 * in the worker before anything else, tells it so.
 */
const SOURCE_IMPORTS = `import { registerHooks } from 'node:module';
registerHooks({
  resolve: (specifier, context, next) =>
    next(/^\\.{1,2}\\//.test(specifier) && context.parentURL?.endsWith('.ts') ? specifier.replace(/\\.js$/, '.ts') : specifier, context),
});`;

function startWorker(start: WorkerStart): Worker {
  const hook = ['--import', `data:text/javascript,${encodeURIComponent(SOURCE_IMPORTS)}`];
  return new Worker(new URL(`./derivation.worker${EXTENSION}`, import.meta.url), {
    name: 'vault',
    workerData: start,
    ...(EXTENSION === '.ts' && { execArgv: hook }),
  });
}

/**
 * The vault of this machine: an encrypted file that a worker thread opens and derives from. This thread, which runs
 * everything else, knows the passphrase (from configuration) but never sees a seed, and stays free while keys are worked.
 */
export class LocalVault implements Vault {
  private readonly opening = Promise.withResolvers<void>();
  private readonly exited = Promise.withResolvers<void>();
  private readonly pending = new Map<number, PromiseWithResolvers<readonly DerivedAddress[]>>();
  private lastId = 0;
  private stopped: VaultError | null = null;

  private constructor(
    private readonly worker: Worker,
    private readonly path: string,
  ) {
    worker.on('message', (reply: WorkerReply) => this.receive(reply));
    worker.once('error', (cause) => this.stop(cause));
    worker.once('exit', () => {
      this.stop();
      this.exited.resolve();
    });
  }

  /** Opens the file, which takes about a second on purpose. Rejects with the `VaultError` of `openVaultFile`. */
  static async open(path: string, passphrase: string): Promise<LocalVault> {
    const vault = new LocalVault(startWorker({ path, passphrase }), path);
    await vault.opening.promise;
    return vault;
  }

  deriveAddresses(
    environment: Environment,
    family: AddressFamily,
    from: number,
    count: number,
  ): Promise<readonly DerivedAddress[]> {
    if (this.stopped) return Promise.reject(this.stopped);
    const id = ++this.lastId;
    const result = Promise.withResolvers<readonly DerivedAddress[]>();
    this.pending.set(id, result);
    this.send({ type: 'derive', id, environment, family, from, count });
    return result.promise;
  }

  close(): Promise<void> {
    if (!this.stopped) {
      this.stopped = new VaultError('stopped', this.path);
      this.send({ type: 'close' });
    }
    return this.exited.promise;
  }

  private send(request: WorkerRequest): void {
    this.worker.postMessage(request, []);
  }

  private receive(reply: WorkerReply): void {
    if (reply.type === 'opened') return this.opening.resolve();
    if (reply.type === 'refused') return this.opening.reject(new VaultError(reply.reason, this.path));
    const result = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if (reply.type === 'derived') result?.resolve(reply.addresses);
    else result?.reject(reply.error);
  }

  /** The thread is gone, orderly or not: nobody may wait for it any longer. */
  private stop(cause?: unknown): void {
    const error = (this.stopped ??= new VaultError('stopped', this.path, { cause }));
    this.opening.reject(error);
    for (const result of this.pending.values()) result.reject(error);
    this.pending.clear();
  }
}
