import { readFileSync } from 'node:fs';
import { concat, getCreate2Address, Interface, keccak256, zeroPadValue, ZeroHash } from 'ethers';
import { z } from 'zod';

/**
 * The deterministic deployment proxy, at this address on ethereum, polygon, bnb, their testnets and every anvil. It
 * takes a salt and creation code, which alone determine the contract's address. So a treasury has one pair of contracts
 * per chain, known before they exist, independent of the sender and of repeated deployments.
 */
export const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

const SALT = ZeroHash;
/** 230,000 and 184,000 were measured; unused gas costs nothing. */
export const DEPLOYMENT_GAS = 400_000n;
/** EIP-7702: the prefix of the delegate's address in the code of a delegating address. */
const DELEGATION_PREFIX = '0xef0100';
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

const ARTIFACT = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  bytecode: z.string(),
  deployedBytecode: z.string(),
  immutableReferences: z.record(z.string(), z.array(z.object({ start: z.number(), length: z.literal(32) }))),
});
type Artifact = z.infer<typeof ARTIFACT>;

const ARTIFACTS = { delegate: artifactOf('SweepDelegate'), batch: artifactOf('SweepBatch') } as const;

/** Encodes calls of the delegate, and the event of a swept coin. */
export const SWEEP_DELEGATE = new Interface(JSON.stringify(ARTIFACTS.delegate.abi));
/** Encodes calls of the batch. */
export const SWEEP_BATCH = new Interface(JSON.stringify(ARTIFACTS.batch.abi));

/** One contract of a treasury, deployed or not. */
export interface SweepContract {
  /** Lower case. */
  readonly address: string;
  /** Creation code with its constructor's arguments. */
  readonly initCode: string;
  /** keccak256 of the code that the address must have. */
  readonly codeHash: string;
}

/** The contract that deposit addresses delegate to, and the one that sweeps many of them in one transaction. */
export interface SweepContracts {
  readonly delegate: SweepContract;
  readonly batch: SweepContract;
}

/** Returns the two contracts that sweep to `treasury`; the same on every chain. */
export function sweepContracts(treasury: string): SweepContracts {
  const delegate = contractOf(ARTIFACTS.delegate, SWEEP_DELEGATE, treasury, zeroPadValue(treasury, 32));
  // The batch keeps the code hash of an address that delegates, not the delegate's address.
  const delegated = keccak256(delegationCode(delegate.address));
  return { delegate, batch: contractOf(ARTIFACTS.batch, SWEEP_BATCH, delegate.address, delegated) };
}

/** Returns the transaction that deploys a contract. A second one reverts, since the address is taken. */
export function deploymentCall({ initCode }: SweepContract): { to: string; data: string; gasLimit: bigint } {
  return { to: DEPLOYMENT_PROXY, data: concat([SALT, initCode]), gasLimit: DEPLOYMENT_GAS };
}

/**
 * Returns the state of a contract by its `eth_getCode`. `absent` also after a successful deployment on a chain without
 * the proxy, which called nothing. `foreign` never occurs on a sound chain; nothing may be sent there.
 */
export function deploymentState({ codeHash }: SweepContract, code: string): 'absent' | 'deployed' | 'foreign' {
  if (code === '0x') return 'absent';
  return keccak256(code) === codeHash ? 'deployed' : 'foreign';
}

/** Returns the code (`eth_getCode`) of an address that delegates. */
function delegationCode(delegate: string): string {
  return concat([DELEGATION_PREFIX, delegate]);
}

/** Returns the delegate of an address, in lower case; null when its code is no delegation. */
export function delegateIn(code: string): string | null {
  return DELEGATION.test(code) ? `0x${code.slice(DELEGATION_PREFIX.length).toLowerCase()}` : null;
}

function contractOf(artifact: Artifact, codec: Interface, argument: string, immutable: string): SweepContract {
  const initCode = concat([artifact.bytecode, codec.encodeDeploy([argument])]);
  return {
    address: getCreate2Address(DEPLOYMENT_PROXY, SALT, keccak256(initCode)).toLowerCase(),
    initCode,
    codeHash: keccak256(runtimeCode(artifact, immutable)),
  };
}

/** Returns the code that the constructor leaves, with its one immutable filled in. */
function runtimeCode({ deployedBytecode, immutableReferences }: Artifact, immutable: string): string {
  const [places = [], ...others] = Object.values(immutableReferences);
  if (others.length > 0) throw new Error('Only contracts with one immutable can be filled in.');
  const code = Buffer.from(deployedBytecode.slice(2), 'hex');
  for (const { start, length } of places) code.write(immutable.slice(2), start, length, 'hex');
  return `0x${code.toString('hex')}`;
}

function artifactOf(contract: string): Artifact {
  return ARTIFACT.parse(JSON.parse(readFileSync(new URL(`./contracts/${contract}.json`, import.meta.url), 'utf8')));
}
