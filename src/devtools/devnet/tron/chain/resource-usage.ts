import {
  SUN_PER_TRX,
  WINDOW_PRECISION,
  WINDOW_SLOTS,
  type ResourceUsage,
  type TronAccount,
  type UsableResource,
} from './account.js';
import { accountOf, updateAccount } from './accounts.js';
import type { ChainParameters } from './chain-parameters.js';
import type { ChainState } from './chain-state.js';

/** Slots of resources last 3 seconds, whatever the interval of blocks. Source: EnergyProcessor.getHeadSlot. */
const SLOT_MS = 3_000;
/** Source: ChainConstant.PRECISION. */
const PRECISION = 1_000_000n;

/** The totals of the chain that decide how much of a resource a staked TRX gives. */
export const STAKED_TRX: Readonly<Record<UsableResource, string>> = { BANDWIDTH: 'netWeight', ENERGY: 'energyWeight' };

/** Returns the slot of a time. */
export const slotOf = (time: number, genesisTime: number): bigint => BigInt(Math.floor((time - genesisTime) / SLOT_MS));

/** What is still used at a slot. Source: ResourceProcessor.recovery. */
export function usedAt(usage: ResourceUsage, slot: bigint): bigint {
  const window = usage.window / WINDOW_PRECISION;
  return (averageAt(usage, slot) * window) / PRECISION;
}

/** Adds to a usage. What is left of it and the new part recover within one common window. Source: increaseV2. */
export function used(usage: ResourceUsage, amount: bigint, slot: bigint): ResourceUsage {
  const window = usage.window / WINDOW_PRECISION;
  const average = averageAt(usage, slot);
  const added = divideUp(amount * PRECISION, WINDOW_SLOTS);
  const total = (average * window + added * WINDOW_SLOTS) / PRECISION;
  const left = (average * window) / PRECISION;
  if (left === 0n) return { used: total, slot, window: WINDOW_SLOTS * WINDOW_PRECISION };
  const leftWindow = usage.window - (slot - usage.slot) * WINDOW_PRECISION;
  const common = divideUp(left * leftWindow + amount * WINDOW_SLOTS * WINDOW_PRECISION, total);
  return {
    used: total,
    slot,
    window: common < WINDOW_SLOTS * WINDOW_PRECISION ? common : WINDOW_SLOTS * WINDOW_PRECISION,
  };
}

/** How much of a resource some staked sun give in a day. Source: calculateGlobalEnergyLimitV2, calculateGlobalNetLimitV2. */
export function limitOf(state: ChainState, parameters: ChainParameters, resource: UsableResource, sun: bigint): bigint {
  return BigInt(Math.trunc((Number(sun) / Number(SUN_PER_TRX)) * perTrx(state, parameters, resource)));
}

/** The daily limit of an account by its own and acquired stakes. */
export function accountLimit(
  state: ChainState,
  parameters: ChainParameters,
  resource: UsableResource,
  account: TronAccount,
): bigint {
  return limitOf(state, parameters, resource, account.staked[resource] + account.acquired[resource]);
}

/** What is left of an account's staked resource. */
export function accountLeft(
  state: ChainState,
  parameters: ChainParameters,
  resource: UsableResource,
  account: TronAccount,
  slot: bigint,
): bigint {
  const left = accountLimit(state, parameters, resource, account) - usedAt(account.usage[resource], slot);
  return left > 0n ? left : 0n;
}

/** The staked sun that a used amount of a resource stands for. Source: DelegateResourceActuator.validate. */
export function sunOf(
  state: ChainState,
  parameters: ChainParameters,
  resource: UsableResource,
  amount: bigint,
): bigint {
  return BigInt(Math.trunc((Number(amount) * Number(SUN_PER_TRX)) / perTrx(state, parameters, resource)));
}

/** Uses a staked resource of an account. */
export function useResource(
  state: ChainState,
  address: string,
  resource: UsableResource,
  amount: bigint,
  at: { readonly slot: bigint; readonly time: number },
): void {
  const { usage } = accountOf(state, address);
  updateAccount(state, address, {
    usage: { ...usage, [resource]: used(usage[resource], amount, at.slot) },
    lastOperationAt: at.time,
  });
}

function perTrx(state: ChainState, parameters: ChainParameters, resource: UsableResource): number {
  const total = resource === 'ENERGY' ? parameters.getTotalEnergyCurrentLimit : parameters.getTotalNetLimit;
  const weight = state.totals.get(STAKED_TRX[resource]) ?? 0n;
  return weight === 0n ? 0 : Number(total) / Number(weight);
}

function averageAt({ used: before, slot: last, window }: ResourceUsage, slot: bigint): bigint {
  const slots = window / WINDOW_PRECISION;
  const average = divideUp(before * PRECISION, slots);
  if (slot === last) return average;
  if (last + slots <= slot) return 0n;
  return BigInt(Math.round(Number(average) * (Number(slots - (slot - last)) / Number(slots))));
}

const divideUp = (a: bigint, b: bigint): bigint => a / b + (a % b > 0n ? 1n : 0n);
