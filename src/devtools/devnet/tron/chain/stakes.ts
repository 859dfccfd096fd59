import { isAddress } from '../address.js';
import { RESOURCES, SUN_PER_TRX, type Resource, type TronAccount } from './account.js';
import { accountOf, updateAccount } from './accounts.js';
import type { ChainState } from './chain-state.js';
import type { Execution } from './execution.js';
import { invalid } from './refusal.js';
import { STAKED_TRX } from './resource-usage.js';
import type { CheckContext } from './transfers.js';
import type { TronContract } from './tron-transaction.js';

/** Source: UnfreezeBalanceV2Actuator (UNFREEZE_MAX_TIMES). */
const UNSTAKINGS_MAX = 32;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** As java-tron's messages write the resources. */
const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  BANDWIDTH: 'BANDWIDTH',
  ENERGY: 'Energy',
  TRON_POWER: 'TronPower',
};

/** Returns the resource that a contract names. @throws Refusal */
export function resourceOf({ body }: TronContract): Resource {
  const resource = RESOURCES[Number(body.int('resource'))];
  if (resource === undefined) throw invalid('ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY、TRON_POWER]');
  return resource;
}

/** Returns the owner of a contract, which must exist. @throws Refusal */
export function ownerOf({ body, owner }: TronContract, state: ChainState): TronAccount {
  if (!isAddress(body.bytes('owner_address'))) throw invalid('Invalid address');
  const account = state.accounts.get(owner);
  if (account === null) throw invalid(`Account[${owner}] not exists`);
  return account;
}

/** Source: FreezeBalanceV2Actuator.validate. @throws Refusal */
export function checkStake(contract: TronContract, { state }: CheckContext): void {
  const account = ownerOf(contract, state);
  const amount = contract.body.int('frozen_balance');
  if (amount <= 0n) throw invalid('frozenBalance must be positive');
  if (amount < SUN_PER_TRX) throw invalid('frozenBalance must be greater than or equal to 1 TRX');
  if (amount > account.balance) throw invalid('frozenBalance must be less than or equal to accountBalance');
  resourceOf(contract);
}

/** Source: FreezeBalanceV2Actuator.execute. */
export function stake({ contract, state }: Execution): void {
  const amount = contract.body.int('frozen_balance');
  const account = accountOf(state, contract.owner);
  changeStake(state, account, resourceOf(contract), amount);
  updateAccount(state, contract.owner, { balance: account.balance - amount });
}

/** Source: UnfreezeBalanceV2Actuator.validate. @throws Refusal */
export function checkUnstake(contract: TronContract, { state, now }: CheckContext): void {
  const account = ownerOf(contract, state);
  const resource = resourceOf(contract);
  const amount = contract.body.int('unfreeze_balance');
  if (account.staked[resource] === 0n) throw invalid(`no frozenBalance(${RESOURCE_NAMES[resource]})`);
  if (amount <= 0n || amount > account.staked[resource]) {
    throw invalid(`Invalid unfreeze_balance, [${amount}] is error`);
  }
  if (account.unstaking.filter(({ expiresAt }) => expiresAt > now).length >= UNSTAKINGS_MAX) {
    throw invalid('Invalid unfreeze operation, unfreezing times is over limit');
  }
}

/**
 * Takes staked TRX back; they are paid out after some days. Returns what was due from earlier ones.
 * Source: UnfreezeBalanceV2Actuator.execute.
 */
export function unstake({ contract, state, place, parameters }: Execution): bigint {
  const withdrawn = withdrawUnstaked(state, contract.owner, place.headTime);
  const resource = resourceOf(contract);
  const amount = contract.body.int('unfreeze_balance');
  const account = accountOf(state, contract.owner);
  changeStake(state, account, resource, -amount);
  const expiresAt = place.headTime + Number(parameters.getUnfreezeDelayDays) * DAY_MS;
  updateAccount(state, contract.owner, { unstaking: [...account.unstaking, { resource, amount, expiresAt }] });
  return withdrawn;
}

/** Source: WithdrawExpireUnfreezeActuator.validate. @throws Refusal */
export function checkWithdrawal(contract: TronContract, { state, now }: CheckContext): void {
  const due = ownerOf(contract, state).unstaking.some(({ expiresAt }) => expiresAt <= now);
  if (!due) throw invalid('no unFreeze balance to withdraw ');
}

/** Pays out what is due and returns it. Source: WithdrawExpireUnfreezeActuator.execute. */
export function withdrawUnstaked(state: ChainState, owner: string, now: number): bigint {
  const { unstaking, balance } = accountOf(state, owner);
  const due = unstaking.filter(({ expiresAt }) => expiresAt <= now).reduce((sum, { amount }) => sum + amount, 0n);
  updateAccount(state, owner, {
    balance: balance + due,
    unstaking: unstaking.filter(({ expiresAt }) => expiresAt > now),
  });
  return due;
}

/** Changes a stake, and the chain's total by whole TRX. */
function changeStake(state: ChainState, account: TronAccount, resource: Resource, change: bigint): void {
  const weight = ({ staked, delegated }: TronAccount): bigint =>
    (staked[resource] + (resource === 'TRON_POWER' ? 0n : delegated[resource])) / SUN_PER_TRX;
  const after = updateAccount(state, account.address, {
    staked: { ...account.staked, [resource]: account.staked[resource] + change },
  });
  const total = resource === 'TRON_POWER' ? 'tronPowerWeight' : STAKED_TRX[resource];
  state.totals.set(total, (state.totals.get(total) ?? 0n) + weight(after) - weight(account));
}
