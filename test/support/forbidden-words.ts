import { codeLines, isIn, isSpec, type SourceRule } from './source-rules.js';

/** Makes a rule that forbids a word in code, except in these files and folders; comments and specs may use it. */
function forbids(word: RegExp, message: string, allowedIn: readonly string[] = []): SourceRule {
  return (sources) =>
    sources
      .filter((source) => !isSpec(source) && !allowedIn.some((place) => isIn(source.path, place)))
      .flatMap((source) =>
        [...codeLines(source)]
          .filter(([, code]) => word.test(code))
          .map(([line]) => `${source.path}:${line} ${message}`),
      );
}

export const environmentIsReadOnce = forbids(/\bprocess\.env\b|\benv\b.*'node:process'/, 'reads the environment', [
  'src/platform/config.ts',
]);
export const noForwardRef = forbids(/\bforwardRef\b/, 'uses forwardRef, which hides a cycle');
export const noWeakRandomness = forbids(/\bMath\.random\b/, 'uses Math.random');
export const noFloatParsing = forbids(/\bparseFloat\b/, 'parses a float');

/** Case has no meaning in an address of an EVM network, and all meaning in others: there a folded address is another one. */
export const caseOfAddressesIsKept = forbids(/\.toLowerCase\(|\blower\(/, 'folds the case of letters', [
  'src/chains/evm',
  'src/vault/evm',
  'src/domain/evm-address.ts',
  'src/platform/sql/shown-address.ts',
  // Ids of ours, header fields and headings.
  'src/domain/ids.ts',
  'src/domain/id-source.ts',
  'src/http/json-body.guard.ts',
  'src/docs-pages/heading-anchor.ts',
  'src/admin/pages/console-files.ts',
  // Hexadecimal digests.
  'src/domain/signature-check.ts',
  // E-mail addresses and recovery codes.
  'src/staff',
  // Names of merchants.
  'src/auth/merchant-lists.sql.ts',
]);
/** The other rooms take keys as they are. */
export const evmKeysAreMadeInEvmCode = forbids(/\bevmKey\(/, 'makes the key of an EVM address', [
  'src/chains/evm',
  'src/vault/evm',
  'src/domain/evm-address.ts',
  'src/domain/address-form.ts',
  'src/domain/transaction-hash.ts',
  'src/devtools/devnet',
  // The contracts of development chains, which all are anvils.
  'src/chains/networks.ts',
  // Signing and sweeping on EVM networks.
  'src/vault/signed-check.ts',
  'src/treasury/transactions/checked-receipts.ts',
  'src/treasury/transactions/checked-signature.ts',
  'src/treasury/vault-records.ts',
  'src/treasury/sweeps/sweep-outcome.ts',
]);
/** A whole coin has 10^18 smallest units on EVM networks, 10^9 on solana and 10^6 on tron. */
export const decimalsAreInTheCatalogue = forbids(
  /coin_?decimals\b.*[:=]\s*\d|\b10n \*\* 18n|\bWEI_PER_\w+/i,
  'has the decimals of a coin as a constant',
  ['src/chains/networks.ts'],
);
