import { accountOf, adjustBalance, updateAccount } from './accounts.js';
import { addressKey, base58Of } from '../address.js';
import type { Execution } from './execution.js';
import { Refusal, invalid } from './refusal.js';
import { accountLeft, used, usedAt, useResource } from './resource-usage.js';

/** Reserved for the result of each contract. Source: Constant.MAX_RESULT_SIZE_IN_TX. */
export const RESULT_BYTES = 64;
/** Source: TransactionCapsule (PER_SIGN_LENGTH). */
const SIGNATURE_BYTES = 65;

/** The bandwidth of a transaction: bytes of staked or free bandwidth, or sun that were burned. */
export interface BandwidthBill {
  readonly usage: bigint;
  readonly fee: bigint;
}

/**
 * Pays for the bytes of a transaction: by staked bandwidth, else by the free bandwidth of a day, else by burned TRX, and
 * never in parts. A transaction that creates an account uses no free bandwidth. Source: BandwidthProcessor.consume.
 * @throws Refusal
 */
export function payBandwidth(execution: Execution): BandwidthBill {
  const { contract, state, transaction, parameters } = execution;
  if (state.accounts.get(contract.owner) === null) {
    throw invalid(`account [${base58Of(contract.owner)}] does not exist`);
  }
  const bytes = BigInt(transaction.bytes.length + RESULT_BYTES);
  if (createsAccount(execution)) return payForNewAccount(execution, bytes);
  if (useStaked(execution, bytes) || useFree(execution, bytes)) return { usage: bytes, fee: 0n };
  const fee = bytes * parameters.getTransactionFee;
  burnForBandwidth(execution, fee, bytes);
  return { usage: 0n, fee };
}

/** Whether a transaction creates an account; a call to a contract never does. Source: contractCreateNewAccount. */
function createsAccount({ contract, state }: Execution): boolean {
  if (contract.type === 'AccountCreateContract') return true;
  return (
    contract.type === 'TransferContract' && state.accounts.get(addressKey(contract.body.bytes('to_address'))) === null
  );
}

function payForNewAccount(execution: Execution, bytes: bigint): BandwidthBill {
  const { transaction, parameters } = execution;
  const size = transaction.bytes.length - transaction.signatures.length * SIGNATURE_BYTES;
  if (BigInt(size) > parameters.getMaxCreateAccountTxSize) {
    throw new Refusal(
      'too_big',
      `Too big new account transaction, TxId ${transaction.id}, the size is ${size} bytes, ` +
        `maxTxSize ${parameters.getMaxCreateAccountTxSize}`,
    );
  }
  const cost = bytes * parameters.getCreateNewAccountBandwidthRate;
  if (useStaked(execution, cost)) return { usage: cost, fee: 0n };
  const fee = parameters.getCreateAccountFee;
  burnForBandwidth(execution, fee, bytes);
  return { usage: 0n, fee };
}

function useStaked({ contract, state, parameters, place }: Execution, bytes: bigint): boolean {
  const account = accountOf(state, contract.owner);
  if (bytes > accountLeft(state, parameters, 'BANDWIDTH', account, place.slot)) return false;
  useResource(state, contract.owner, 'BANDWIDTH', bytes, { slot: place.slot, time: place.headTime });
  return true;
}

function useFree({ contract, state, parameters, place }: Execution, bytes: bigint): boolean {
  const { freeNet } = accountOf(state, contract.owner);
  if (bytes > parameters.getFreeNetLimit - usedAt(freeNet, place.slot)) return false;
  updateAccount(state, contract.owner, {
    freeNet: used(freeNet, bytes, place.slot),
    lastOperationAt: place.headTime,
  });
  return true;
}

function burnForBandwidth({ contract, state, place }: Execution, fee: bigint, bytes: bigint): void {
  if (accountOf(state, contract.owner).balance < fee) {
    throw new Refusal(
      'resource',
      `account [${base58Of(contract.owner)}] has insufficient bandwidth[${bytes}] and balance[${fee}] ` +
        'to create new account',
    );
  }
  adjustBalance(state, contract.owner, -fee, 'resource');
  updateAccount(state, contract.owner, { lastOperationAt: place.headTime });
}
