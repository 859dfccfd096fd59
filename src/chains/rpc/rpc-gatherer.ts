import { BATCH_MAX, type JsonRpc, type RpcCall } from './json-rpc.js';

interface Asked extends PromiseWithResolvers<readonly unknown[]> {
  readonly calls: readonly RpcCall[];
}

/**
 * Combines the calls of one turn of the event loop into shared batches, so that blocks read in parallel share requests. A
 * failed batch fails all its callers.
 */
export class RpcGatherer {
  private asked: Asked[] = [];

  constructor(private readonly rpc: Pick<JsonRpc, 'batch'>) {}

  /** Returns the results in the order of `calls`, as `JsonRpc.batch` does. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    if (calls.length === 0) return Promise.resolve([]);
    const asked = { calls, ...Promise.withResolvers<readonly unknown[]>() };
    if (this.asked.push(asked) === 1) setImmediate(() => this.send());
    return asked.promise;
  }

  /** Sends each batch separately, so that callers continue while the node works on the next batch. */
  private send(): void {
    const { asked } = this;
    this.asked = [];
    let together: Asked[] = [];
    let count = 0;
    for (const one of asked) {
      if (count > 0 && count + one.calls.length > BATCH_MAX) {
        void this.sendTogether(together);
        together = [];
        count = 0;
      }
      together.push(one);
      count += one.calls.length;
    }
    void this.sendTogether(together);
  }

  private async sendTogether(together: readonly Asked[]): Promise<void> {
    try {
      const results = await this.rpc.batch(together.flatMap(({ calls }) => calls));
      let taken = 0;
      for (const { calls, resolve } of together) resolve(results.slice(taken, (taken += calls.length)));
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }
}
