import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { AddressFamily, Environment } from '../domain/network.js';
import { deriveBatch, seedOf, type Derivation } from './derivation.js';
import { evmDerivation } from './evm-derivation.js';
import { openVaultFile } from './vault-file.js';
import { VaultError, type DerivedAddress, type VaultFailure } from './vault.js';

/** What the thread is started with. */
export interface WorkerStart {
  readonly path: string;
  readonly passphrase: string;
}

export interface DeriveRequest {
  readonly type: 'derive';
  readonly id: number;
  readonly environment: Environment;
  readonly family: AddressFamily;
  readonly from: number;
  readonly count: number;
}
/** Requests are answered in order; nothing is answered after `close`. */
export type WorkerRequest = DeriveRequest | { readonly type: 'close' };

/** First comes `opened` or `refused`, then one reply per request. No reply carries a key. */
export type WorkerReply =
  | { readonly type: 'opened' }
  | { readonly type: 'refused'; readonly reason: VaultFailure }
  | { readonly type: 'derived'; readonly id: number; readonly addresses: readonly DerivedAddress[] }
  | { readonly type: 'failed'; readonly id: number; readonly error: unknown };

interface EnvironmentKeys {
  readonly seed: Uint8Array;
  readonly families: Partial<Record<AddressFamily, Derivation>>;
}

function environmentKeys(entropy: Buffer): EnvironmentKeys {
  const seed = seedOf(entropy);
  entropy.fill(0);
  return { seed, families: { evm: evmDerivation(seed) } };
}

function answer(keys: EnvironmentKeys, { id, family, from, count }: DeriveRequest): WorkerReply {
  try {
    const derivation = keys.families[family];
    if (!derivation) throw new RangeError(`The vault derives no ${family} addresses.`);
    return { type: 'derived', id, addresses: deriveBatch(derivation, from, count) };
  } catch (error) {
    return { type: 'failed', id, error };
  }
}

async function serve(port: MessagePort, { path, passphrase }: WorkerStart): Promise<void> {
  const reply = (message: WorkerReply) => port.postMessage(message);
  try {
    const entropy = await openVaultFile(path, passphrase);
    const keys = { sandbox: environmentKeys(entropy.sandbox), live: environmentKeys(entropy.live) };
    port.on('message', (request: WorkerRequest) => {
      if (request.type === 'derive') return reply(answer(keys[request.environment], request));
      keys.sandbox.seed.fill(0);
      keys.live.seed.fill(0);
      port.close();
    });
    reply({ type: 'opened' });
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    reply({ type: 'refused', reason: error.reason });
  }
}

if (!parentPort) throw new Error('The vault derives in a worker thread only.');
const start: WorkerStart = workerData;
await serve(parentPort, start);
