import { addressKey } from '../address.js';
import { accountOf, adjustBalance } from './accounts.js';
import { energyPrice } from './chain-parameters.js';
import type { ContractOutcome, Execution } from './execution.js';
import { invalid, Refusal } from './refusal.js';
import { accountLeft, useResource } from './resource-usage.js';

/** Dynamic energy factors are ten-thousandths. Source: Constant.DYNAMIC_ENERGY_FACTOR_DECIMAL. */
const FACTOR_UNIT = 10_000n;

/**
 * Calls a contract and pays for its energy: by what the caller has staked or was delegated, the rest by burned TRX up to
 * the fee limit. Source: VMActuator.call, getAccountEnergyLimitWithFixRatio; ReceiptCapsule.payEnergyBill.
 * @throws Refusal when nothing can be executed; a contract that fails is no refusal.
 */
export async function callContract(execution: Execution): Promise<ContractOutcome & { readonly contract: string }> {
  const { contract, state, transaction, parameters, place, evm } = execution;
  const { body, owner } = contract;
  const address = addressKey(body.bytes('contract_address'));
  if (state.contracts.get(address) === null) throw invalid('No contract or not a smart contract');
  const value = body.int('call_value');
  if (value < 0n) throw invalid('callValue must be >= 0');
  if (body.int('call_token_value') !== 0n) throw invalid('TRC-10 tokens are not modelled');
  const feeLimit = transaction.raw.int('fee_limit');
  if (feeLimit < 0n || feeLimit > parameters.getMaxFeeLimit) {
    throw invalid(`feeLimit must be >= 0 and <= ${parameters.getMaxFeeLimit}`);
  }
  const caller = accountOf(state, owner);
  if (caller.balance < value) throw invalid('Validate InternalTransfer error, balance is not sufficient.');
  const price = energyPrice(parameters);
  const stakedLeft = accountLeft(state, parameters, 'ENERGY', caller, place.slot);
  const limit = smaller(stakedLeft + (caller.balance - value) / price, feeLimit / price);
  const factor = execution.energyFactors[address] ?? 0n;
  const outcome = await evm.call({
    state,
    id: transaction.id,
    caller: owner,
    contract: address,
    data: body.bytes('data'),
    value,
    energyLimit: (limit * FACTOR_UNIT) / (FACTOR_UNIT + factor),
    place,
  });
  const { total, penalty } = billOf(outcome.result, outcome.energyUsed, limit, factor);
  const energy = { ...payEnergy(execution, total, stakedLeft), total, penalty };
  const { result, logs, internal } = outcome;
  // Only a return and a revert give data back.
  const output = result === 'SUCCESS' || result === 'REVERT' ? outcome.output : new Uint8Array();
  return { contract: address, result, output, logs, internal, energy, message: failureMessage(result, limit, total) };
}

/** A revert costs what was used, every other failure the whole limit. */
export function billOf(
  result: ContractOutcome['result'],
  used: bigint,
  limit: bigint,
  factor: bigint,
): { readonly total: bigint; readonly penalty: bigint } {
  const penalty = (used * factor) / FACTOR_UNIT;
  const usesAll = result !== 'SUCCESS' && result !== 'REVERT';
  return { total: usesAll ? limit : used + penalty, penalty };
}

/** Why a contract failed, as in `resMessage`. */
export function failureMessage(result: ContractOutcome['result'], limit: bigint, used: bigint): string {
  if (result === 'SUCCESS') return '';
  if (result === 'REVERT') return 'REVERT opcode executed';
  if (result !== 'OUT_OF_ENERGY') return result;
  return `Not enough energy: curInvokeEnergyLimit[${limit}], usedEnergy[${used}]`;
}

function payEnergy(
  { state, contract, parameters, place }: Execution,
  total: bigint,
  stakedLeft: bigint,
): { readonly staked: bigint; readonly fee: bigint } {
  if (total === 0n) return { staked: 0n, fee: 0n };
  const staked = smaller(stakedLeft, total);
  useResource(state, contract.owner, 'ENERGY', staked, { slot: place.slot, time: place.headTime });
  const fee = (total - staked) * energyPrice(parameters);
  if (accountOf(state, contract.owner).balance < fee) {
    throw new Refusal('execute', `${contract.owner} insufficient balance`);
  }
  adjustBalance(state, contract.owner, -fee, 'execute');
  return { staked, fee };
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
