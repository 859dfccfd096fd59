import type { ChainSource } from '../chains/registry.js';
import type { DevChain } from '../devtools/devnet/dev-chain.js';

/** The path of the vault file, and the passphrase that opens it. */
export interface VaultLocation {
  readonly path: string;
  readonly passphrase: string;
}

/** Values that the start determined or generated, beyond the configuration. They are never logged. */
export interface Runtime {
  readonly databaseUrl: string;
  /** Encrypts stored secrets; 32 bytes in hex. */
  readonly secretsKey: string;
  /** Only in the vault role. */
  readonly vault: VaultLocation | null;
  /** For the listener and worker roles. */
  readonly chains: readonly ChainSource[];
  /** Local chains of the embedded sandbox. Only they may restart with another genesis, and only they have a faucet. */
  readonly devChains: readonly DevChain[];
  /** The public address of the API, known once it listens. */
  readonly baseUrl: () => string;
}

/** Injection token of the runtime. */
export const RUNTIME = Symbol('Runtime');
