import type { ChainSource } from '../chains/registry.js';
import type { DevChain } from '../devtools/devnet/dev-chain.js';
import type { OpeningVault } from '../vault/opening-vault.js';

/** Values that the start determined or generated, beyond the configuration. They are never logged. */
export interface Runtime {
  readonly databaseUrl: string;
  /** Encrypts stored secrets; 32 bytes in hex. */
  readonly secretsKey: string;
  /** Only in the vault role, and null without a passphrase. */
  readonly vault: OpeningVault | null;
  /** For the listener and worker roles. */
  readonly chains: readonly ChainSource[];
  /** Local chains of the embedded sandbox. Only they may restart with another genesis, and only they have a faucet. */
  readonly devChains: readonly DevChain[];
  /** The public address of the API, known once it listens. */
  readonly baseUrl: () => string;
}

/** Injection token of the runtime. */
export const RUNTIME = Symbol('Runtime');
