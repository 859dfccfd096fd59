import { readFileSync } from 'node:fs';
import { concat, getCreate2Address, Interface, keccak256, zeroPadValue, ZeroHash } from 'ethers';
import { z } from 'zod';

/**
 * The deterministic deployment proxy, at this address on ethereum, polygon, bnb, their testnets and on every anvil: it
 * takes a salt and creation code, and the contract's address follows from these alone. So a treasury has one pair of
 * contracts per chain, known before they exist, whoever sends the transaction and however often.
 */
export const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

const SALT = ZeroHash;
/** 230,000 and 184,000 were measured; what is not used costs nothing. */
export const DEPLOYMENT_GAS = 400_000n;
/** EIP-7702: what stands before the delegate's address in the code of an address that delegates. */
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

/** Encodes calls of the delegate, and names the event of a swept coin. */
export const SWEEP_DELEGATE = new Interface(JSON.stringify(ARTIFACTS.delegate.abi));
/** Encodes calls of the batch. */
export const SWEEP_BATCH = new Interface(JSON.stringify(ARTIFACTS.batch.abi));

/** One contract of a treasury, whether it is on a chain yet or not. */
export interface SweepContract {
  /** Lower case. */
  readonly address: string;
  /** Creation code with its constructor's arguments. */
  readonly initCode: string;
  /** keccak256 of the code that must be found at the address. */
  readonly codeHash: string;
}

/** What deposit addresses delegate to, and what sweeps many of them in one transaction. */
export interface SweepContracts {
  readonly delegate: SweepContract;
  readonly batch: SweepContract;
}

/** The two contracts that sweep to `treasury`; the same on every chain. */
export function sweepContracts(treasury: string): SweepContracts {
  const delegate = contractOf(ARTIFACTS.delegate, SWEEP_DELEGATE, treasury, zeroPadValue(treasury, 32));
  // The batch keeps the code hash of an address that delegates, not the delegate's address.
  const delegated = keccak256(delegationCode(delegate.address));
  return { delegate, batch: contractOf(ARTIFACTS.batch, SWEEP_BATCH, delegate.address, delegated) };
}

/** The transaction that deploys a contract. Sent once more, it reverts: the address is taken. */
export function deploymentCall({ initCode }: SweepContract): { to: string; data: string; gasLimit: bigint } {
  return { to: DEPLOYMENT_PROXY, data: concat([SALT, initCode]), gasLimit: DEPLOYMENT_GAS };
}

/**
 * What `eth_getCode` says about a contract. `absent` also after a deployment that succeeded: on a chain without the
 * proxy it called nothing. `foreign` cannot come from a sound chain; nothing may be sent there.
 */
export function deploymentState({ codeHash }: SweepContract, code: string): 'absent' | 'deployed' | 'foreign' {
  if (code === '0x') return 'absent';
  return keccak256(code) === codeHash ? 'deployed' : 'foreign';
}

/** The code (`eth_getCode`) of an address that delegates. */
function delegationCode(delegate: string): string {
  return concat([DELEGATION_PREFIX, delegate]);
}

/** Whom an address delegates to, in lower case; null when its code is no delegation. */
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

/** The code that the constructor leaves: with its one immutable wherever the compiler reads it. */
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
