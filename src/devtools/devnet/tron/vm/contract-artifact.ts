import { readFileSync } from 'node:fs';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import type { JsonObject } from '../wire/json.js';

const PARAMETERS = z.array(z.object({ name: z.string(), type: z.string(), indexed: z.boolean().optional() }));
const ARTIFACT = z.object({
  abi: z.array(
    z.object({
      type: z.string(),
      name: z.string().optional(),
      inputs: PARAMETERS.optional(),
      outputs: PARAMETERS.optional(),
      stateMutability: z.string().optional(),
      anonymous: z.boolean().optional(),
    }),
  ),
  bytecode: z.string().regex(/^0x[0-9a-f]+$/),
});

type Artifact = z.infer<typeof ARTIFACT>;

const SELECTOR_BYTES = 4;
const READ_ONLY = ['view', 'pure'];

/** The contracts of the genesis block. */
export const CONTRACT_NAMES = [
  'TronTether',
  'TronUsdCoin',
  'PayoutBox',
  'StorageWriter',
  'RevertingForwarder',
] as const;
export type ContractName = (typeof CONTRACT_NAMES)[number];

const artifacts = new Map<string, Artifact>();

/** Returns the creation code of a contract. */
export const creationCode = (name: string): Uint8Array => Buffer.from(artifactOf(name).bytecode.slice(2), 'hex');

/** Whether a call only reads, by the contract's interface. Source: Wallet.isConstant. */
export function isReadOnly(name: string, data: Uint8Array): boolean {
  const selector = Buffer.from(data.subarray(0, SELECTOR_BYTES)).toString('hex');
  return artifactOf(name).abi.some(
    ({ type, name: called = '', inputs = [], stateMutability = '' }) =>
      type === 'function' &&
      READ_ONLY.includes(stateMutability) &&
      selectorOf(`${called}(${inputs.map((input) => input.type).join(',')})`) === selector,
  );
}

/** Returns the first four bytes of a call, in hex. */
export const selectorOf = (signature: string): string =>
  Buffer.from(keccak_256(Buffer.from(signature)).subarray(0, SELECTOR_BYTES)).toString('hex');

/** Returns the interface of a contract as `getcontract` shows it. */
export function abiJson(name: string): JsonObject {
  return {
    entrys: artifactOf(name).abi.map(
      ({ type, name: called, inputs = [], outputs = [], stateMutability, anonymous }) => ({
        ...(inputs.length > 0 ? { inputs } : {}),
        ...(outputs.length > 0 ? { outputs } : {}),
        ...(called === undefined ? {} : { name: called }),
        ...(anonymous === true ? { anonymous } : {}),
        type: capitalised(type),
        ...(stateMutability === undefined ? {} : { stateMutability: capitalised(stateMutability) }),
      }),
    ),
  };
}

function artifactOf(name: string): Artifact {
  let artifact = artifacts.get(name);
  if (artifact === undefined) {
    artifact = ARTIFACT.parse(JSON.parse(readFileSync(new URL(`../contracts/${name}.json`, import.meta.url), 'utf8')));
    artifacts.set(name, artifact);
  }
  return artifact;
}

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
