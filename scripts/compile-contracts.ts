/**
 * Compiles the Solidity sources and writes the artifacts that are committed beside them, so that Coffer runs without a
 * compiler. Run: `node scripts/compile-contracts.ts`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);

/** Every contract with a committed artifact; source and artifact differ only in their suffix. */
export const CONTRACTS = [
  'src/devtools/devnet/contracts/TestToken',
  'src/devtools/devnet/contracts/TestTether',
  'src/chains/evm/contracts/SweepDelegate',
  'src/chains/evm/contracts/SweepBatch',
  'src/devtools/devnet/tron/contracts/TronTether',
  'src/devtools/devnet/tron/contracts/TronUsdCoin',
  'src/devtools/devnet/tron/contracts/PayoutBox',
  'src/devtools/devnet/tron/contracts/StorageWriter',
  'src/devtools/devnet/tron/contracts/RevertingForwarder',
] as const;

/** The committed artifact of a contract. */
export interface Artifact {
  readonly contract: string;
  readonly solc: string;
  /** SHA-256 of the compiler's input: this source, every import, the settings. */
  readonly inputSha256: string;
  readonly abi: readonly Readonly<Record<string, unknown>>[];
  /** Creation code, 0x-prefixed. */
  readonly bytecode: string;
  /** The code of a deployed contract, 0x-prefixed, with zeros where the constructor writes its immutables. */
  readonly deployedBytecode: string;
  /** Offset and length in bytes of these, by the compiler's number for each immutable. */
  readonly immutableReferences: z.infer<typeof IMMUTABLES>;
}

const HEX = z.string().regex(/^[0-9a-f]+$/);
const IMMUTABLES = z.record(z.string(), z.array(z.object({ length: z.number(), start: z.number() })));
const COMPILED = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  evm: z.object({
    bytecode: z.object({ object: HEX }),
    deployedBytecode: z.object({ object: HEX, immutableReferences: IMMUTABLES.default({}) }),
  }),
});
const OUTPUT = z.object({
  errors: z.array(z.object({ formattedMessage: z.string(), errorCode: z.string().optional() })).default([]),
  contracts: z.record(z.string(), z.record(z.string(), COMPILED)).default({}),
});

// cancun is the newest rule set that all served EVM networks have had for long. A metadata hash in the bytecode would make
// it depend on comments.
const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none' },
} as const;
const OUTPUTS = [
  'abi',
  'evm.bytecode.object',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.immutableReferences',
] as const;

/** `pragma abicoder v1` is deprecated. */
const OLD_CODER = '9511';
/**
 * Tokens on tron take an address whose upper bytes are not zero, and wallets send such ones; only the old coder compiles
 * that.
 */
const EXPECTED_WARNINGS: Readonly<Record<string, readonly string[]>> = {
  'src/devtools/devnet/tron/contracts/TronTether': [OLD_CODER],
  'src/devtools/devnet/tron/contracts/TronUsdCoin': [OLD_CODER],
};

/** Compiles one contract of `CONTRACTS`. Throws with the compiler's messages on any error or warning. */
export function compileContract(path: string): Artifact {
  const contract = path.slice(path.lastIndexOf('/') + 1);
  const sources = readSources(`${path}.sol`);
  const outputSelection = { [`${path}.sol`]: { [contract]: OUTPUTS } };
  const input = JSON.stringify({ language: 'Solidity', sources, settings: { ...SETTINGS, outputSelection } });
  const answer: unknown = JSON.parse(solc.compile(input));
  const output = OUTPUT.parse(answer);
  const complaints = output.errors
    .filter(({ errorCode = '' }) => !EXPECTED_WARNINGS[path]?.includes(errorCode))
    .map((error) => error.formattedMessage);
  if (complaints.length > 0) throw new Error(`${path}.sol does not compile cleanly:\n${complaints.join('\n')}`);
  const compiled = output.contracts[`${path}.sol`]?.[contract];
  if (compiled === undefined) throw new Error(`${path}.sol has no contract named ${contract}.`);
  return {
    contract,
    solc: solc.version(),
    inputSha256: createHash('sha256').update(input).digest('hex'),
    abi: compiled.abi,
    bytecode: `0x${compiled.evm.bytecode.object}`,
    deployedBytecode: `0x${compiled.evm.deployedBytecode.object}`,
    immutableReferences: compiled.evm.deployedBytecode.immutableReferences,
  };
}

/** Returns the artifact's file as it must be on disk. */
export function artifactText(artifact: Artifact): string {
  return `${JSON.stringify(artifact, null, 1)}\n`;
}

/** Reads the source and, recursively, its imports, sorted by name so that the input's hash is stable. */
function readSources(entry: string): Record<string, { content: string }> {
  const found = new Map<string, string>();
  const pending = [entry];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    const content = readFileSync(name.startsWith('@') ? require.resolve(name) : join(ROOT, name), 'utf8');
    found.set(name, content);
    for (const [, imported] of content.matchAll(/^import\s[^;]*?["']([^"']+)["'];/gm)) {
      if (imported !== undefined) pending.push(resolveImport(name, imported));
    }
  }
  return Object.fromEntries([...found.keys()].toSorted().map((name) => [name, { content: found.get(name) ?? '' }]));
}

/** Resolves a path as Solidity does: one that starts with a dot is relative to the importing file. */
function resolveImport(from: string, imported: string): string {
  return imported.startsWith('.') ? join(from, '..', imported) : imported;
}

if (import.meta.main) {
  for (const path of CONTRACTS) {
    writeFileSync(join(ROOT, `${path}.json`), artifactText(compileContract(path)));
    process.stdout.write(`${path}.json written\n`);
  }
}
