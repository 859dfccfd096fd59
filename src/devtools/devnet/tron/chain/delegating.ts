import { addressKey, isAddress } from '../address.js';
import { SUN_PER_TRX, type TronAccount, type UsableResource } from './account.js';
import { accountOf, updateAccount } from './accounts.js';
import type { ChainParameters } from './chain-parameters.js';
import type { ChainState } from './chain-state.js';
import { delegationKey } from './delegation.js';
import { changeDelegation, unlockExpired } from './delegations.js';
import type { Execution } from './execution.js';
import { invalid } from './refusal.js';
import { limitOf, sunOf, used, usedAt } from './resource-usage.js';
import { ownerOf, resourceOf } from './stakes.js';
import type { CheckContext } from './transfers.js';
import type { TronContract } from './tron-transaction.js';

/** Source: Parameter.ChainConstant (DELEGATE_PERIOD): three days. */
const LOCK_SLOTS_DEFAULT = 86_400n;
const SLOT_MS = 3_000;

/** Source: DelegateResourceActuator.validate. @throws Refusal */
export function checkDelegation(contract: TronContract, { state, parameters, slot, now }: CheckContext): void {
  const { body } = contract;
  const account = ownerOf(contract, state);
  const amount = body.int('balance');
  if (amount < SUN_PER_TRX) throw invalid('delegateBalance must be greater than or equal to 1 TRX');
  const resource = usableResourceOf(contract);
  if (delegatable(state, parameters, resource, account, slot) < amount) {
    const name = resource === 'ENERGY' ? 'FreezeEnergyV2' : 'FreezeBandwidthV2';
    throw invalid(`delegateBalance must be less than or equal to available ${name} balance`);
  }
  const receiver = receiverOf(contract);
  const receiving = state.accounts.get(receiver);
  if (receiving === null) throw invalid(`Account[${receiver}] not exists`);
  if (body.bool('lock')) checkLock(contract, resource, { state, parameters, now });
  if (receiving.type === 'Contract') throw invalid('Do not allow delegate resources to contract addresses');
}

/** Source: DelegateResourceActuator.execute. */
export function delegate({ contract, state, place }: Execution): void {
  const { body, owner } = contract;
  const resource = usableResourceOf(contract);
  const amount = body.int('balance');
  const to = receiverOf(contract);
  const isLocked = body.bool('lock');
  unlockExpired(state, owner, to, place.headTime);
  const expiresAt = isLocked ? place.headTime + Number(lockSlots(contract)) * SLOT_MS : 0;
  changeDelegation(state, { from: owner, to, isLocked }, resource, amount, expiresAt);
  moveStake(state, owner, to, resource, amount);
}

/** Source: UnDelegateResourceActuator.validate. @throws Refusal */
export function checkUndelegation(contract: TronContract, { state, now }: CheckContext): void {
  ownerOf(contract, state);
  const receiver = receiverOf(contract);
  const free = state.delegations.get(delegationKey(contract.owner, receiver, false));
  const locked = state.delegations.get(delegationKey(contract.owner, receiver, true));
  if (free === null && locked === null) throw invalid('delegated Resource does not exist');
  const amount = contract.body.int('balance');
  if (amount <= 0n) throw invalid('unDelegateBalance must be more than 0 TRX');
  const resource = usableResourceOf(contract);
  const unlocked = locked !== null && locked.expiresAt[resource] < now ? locked.amounts[resource] : 0n;
  const available = (free?.amounts[resource] ?? 0n) + unlocked;
  if (available < amount) {
    throw invalid(
      resource === 'ENERGY'
        ? `insufficient delegateFrozenBalance(Energy), request=${amount}, unlock_balance=${available}`
        : `insufficient delegatedFrozenBalance(BANDWIDTH), request=${amount}, unlock_balance=${available}`,
    );
  }
}

/** Takes a delegation back, with its part of what the receiver has used. Source: UnDelegateResourceActuator.execute. */
export function undelegate({ contract, state, parameters, place }: Execution): void {
  const { body, owner } = contract;
  const resource = usableResourceOf(contract);
  const amount = body.int('balance');
  const to = receiverOf(contract);
  const moved = takeUsage(state, parameters, { to, resource, amount, slot: place.slot });
  unlockExpired(state, owner, to, place.headTime);
  changeDelegation(state, { from: owner, to, isLocked: false }, resource, -amount, 0);
  moveStake(state, owner, to, resource, -amount);
  if (moved === 0n) return;
  const { usage } = accountOf(state, owner);
  updateAccount(state, owner, { usage: { ...usage, [resource]: used(usage[resource], moved, place.slot) } });
}

/** The staked sun of an account that are not in use, so that they can be delegated. Source: getCanDelegatedMaxSize. */
export function delegatable(
  state: ChainState,
  parameters: ChainParameters,
  resource: UsableResource,
  account: TronAccount,
  slot: bigint,
): bigint {
  // Acquired stakes are used before the own ones.
  const inUse = sunOf(state, parameters, resource, usedAt(account.usage[resource], slot)) - account.acquired[resource];
  const left = account.staked[resource] - (inUse > 0n ? inUse : 0n);
  return left > 0n ? left : 0n;
}

/** Takes from a receiver the usage that belongs to a delegation, and returns it. */
function takeUsage(
  state: ChainState,
  parameters: ChainParameters,
  {
    to,
    resource,
    amount,
    slot,
  }: {
    readonly to: string;
    readonly resource: UsableResource;
    readonly amount: bigint;
    readonly slot: bigint;
  },
): bigint {
  const receiver = accountOf(state, to);
  const before = usedAt(receiver.usage[resource], slot);
  const all = receiver.staked[resource] + receiver.acquired[resource];
  const share = all === 0n ? 0n : (before * amount) / all;
  const most = limitOf(state, parameters, resource, amount);
  const moved = share < most ? share : most;
  const usage = { ...receiver.usage[resource], used: before - moved, slot };
  updateAccount(state, to, { usage: { ...receiver.usage, [resource]: usage } });
  return moved;
}

function moveStake(state: ChainState, from: string, to: string, resource: UsableResource, amount: bigint): void {
  const owner = accountOf(state, from);
  updateAccount(state, from, {
    staked: { ...owner.staked, [resource]: owner.staked[resource] - amount },
    delegated: { ...owner.delegated, [resource]: owner.delegated[resource] + amount },
  });
  const { acquired } = accountOf(state, to);
  updateAccount(state, to, { acquired: { ...acquired, [resource]: acquired[resource] + amount } });
}

function checkLock(
  contract: TronContract,
  resource: UsableResource,
  { state, parameters, now }: Omit<CheckContext, 'slot'>,
): void {
  const slots = lockSlots(contract);
  if (slots < 0n || slots > parameters.getMaxDelegateLockPeriod) {
    throw invalid(
      'The lock period of delegate resource cannot be less than 0 and cannot exceed ' +
        `${parameters.getMaxDelegateLockPeriod}!`,
    );
  }
  const locked = state.delegations.get(delegationKey(contract.owner, receiverOf(contract), true));
  const rest = (locked?.expiresAt[resource] ?? 0) - now;
  if (Number(slots) * SLOT_MS < rest) {
    throw invalid(
      `The lock period for ${resource} this time cannot be less than the remaining time[${rest}ms] of the last lock ` +
        `period for ${resource}!`,
    );
  }
}

function receiverOf({ body, owner }: TronContract): string {
  const receiver = body.bytes('receiver_address');
  if (!isAddress(receiver)) throw invalid('Invalid receiverAddress');
  if (addressKey(receiver) === owner) throw invalid('receiverAddress must not be the same as ownerAddress');
  return addressKey(receiver);
}

function usableResourceOf(contract: TronContract): UsableResource {
  const resource = resourceOf(contract);
  if (resource === 'TRON_POWER') throw invalid('ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]');
  return resource;
}

function lockSlots({ body }: TronContract): bigint {
  const slots = body.int('lock_period');
  return slots === 0n ? LOCK_SLOTS_DEFAULT : slots;
}
