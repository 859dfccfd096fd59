import type { UnsignedEvmTransaction } from '../../src/chains/evm/evm-transaction.js';
import type { Vault } from '../../src/vault/vault.js';

type Alteration = (asked: UnsignedEvmTransaction) => UnsignedEvmTransaction | Promise<UnsignedEvmTransaction>;

/** The vault, which signs what `alters` makes of a transaction, once that is done. */
export const alteredVault = (vault: Vault, alters: Alteration): Vault => ({
  deriveAddresses: (...asked) => vault.deriveAddresses(...asked),
  hotWallet: (...asked) => vault.hotWallet(...asked),
  signEvm: async (environment, key, asked) => vault.signEvm(environment, key, await alters(asked)),
  authorizeEvm: (...asked) => vault.authorizeEvm(...asked),
  signExpiring: (...asked) => vault.signExpiring(...asked),
  close: () => vault.close(),
});
