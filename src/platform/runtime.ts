import type { ChainSource } from '../chains/registry.js';
import type { DevChain } from '../devtools/devnet/dev-chain.js';

/** Where the seed is, and what opens it. */
export interface VaultLocation {
  readonly path: string;
  readonly passphrase: string;
}

/** What the start found out or generated, beyond the configuration. Nothing here is ever logged. */
export interface Runtime {
  readonly databaseUrl: string;
  /** Encrypts stored secrets; 32 bytes in hex. */
  readonly secretsKey: string;
  /** Only in the vault role. */
  readonly vault: VaultLocation | null;
  /** For the listener and worker roles. */
  readonly chains: readonly ChainSource[];
  /** Local chains of the embedded sandbox. They alone may come back with another genesis, and they alone have a faucet. */
  readonly devChains: readonly DevChain[];
  /** The public address of the API, known once it listens. */
  readonly baseUrl: () => string;
}

/** Injection token of the runtime. */
export const RUNTIME = Symbol('Runtime');
