import { accountOf, adjustBalance } from './accounts.js';
import { payBandwidth } from './bandwidth.js';
import { callContract } from './contract-call.js';
import { checkDelegation, checkUndelegation, delegate, undelegate } from './delegating.js';
import type { Execution, Outcome } from './execution.js';
import { Refusal } from './refusal.js';
import { checkStake, checkUnstake, checkWithdrawal, stake, unstake, withdrawUnstaked } from './stakes.js';
import { checkAccountCreation, checkTransfer, createAccount, transfer, type CheckContext } from './transfers.js';
import type { TronContract } from './tron-transaction.js';

/** A contract that needs no EVM: its check, and its execution, which returns the burned fee and what was paid out. */
interface SystemContract {
  readonly check: (contract: TronContract, context: CheckContext) => void;
  readonly execute: (execution: Execution) => { readonly fee?: bigint; readonly withdrawn?: bigint };
}

const SYSTEM_CONTRACTS: Readonly<Record<string, SystemContract>> = {
  TransferContract: { check: checkTransfer, execute: (execution) => ({ fee: transfer(execution) }) },
  AccountCreateContract: { check: checkAccountCreation, execute: (execution) => ({ fee: createAccount(execution) }) },
  FreezeBalanceV2Contract: { check: checkStake, execute: (execution) => (stake(execution), {}) },
  UnfreezeBalanceV2Contract: { check: checkUnstake, execute: (execution) => ({ withdrawn: unstake(execution) }) },
  WithdrawExpireUnfreezeContract: {
    check: checkWithdrawal,
    execute: ({ state, contract, place }) => ({ withdrawn: withdrawUnstaked(state, contract.owner, place.headTime) }),
  },
  DelegateResourceContract: { check: checkDelegation, execute: (execution) => (delegate(execution), {}) },
  UnDelegateResourceContract: { check: checkUndelegation, execute: (execution) => (undelegate(execution), {}) },
};

/** Checks a contract before it is made into a transaction. Source: Wallet.createTransactionCapsule. @throws Refusal */
export function checkContract(contract: TronContract, context: CheckContext): void {
  SYSTEM_CONTRACTS[contract.type]?.check(contract, context);
}

/**
 * Executes a transaction whose signature, expiration and reference block are valid, on a layer of the state that the
 * caller keeps or drops. Source: Manager.processTransaction.
 * @throws Refusal
 */
export async function execute(execution: Execution): Promise<Outcome> {
  const { contract, state, parameters, place } = execution;
  const bandwidth = payBandwidth(execution);
  const memoFee = payMemo(execution);
  const net = { netUsage: bandwidth.usage, netFee: bandwidth.fee };
  const system = SYSTEM_CONTRACTS[contract.type];
  if (system !== undefined) {
    system.check(contract, { state, parameters, now: place.headTime, slot: place.slot });
    const { fee = 0n, withdrawn = 0n } = system.execute(execution);
    return { ...net, fee: fee + bandwidth.fee + memoFee, call: null, withdrawn };
  }
  const call = await callContract(execution);
  return { ...net, fee: call.energy.fee + bandwidth.fee + memoFee, call, withdrawn: 0n };
}

/** Source: Manager.consumeMemoFee. */
function payMemo({ transaction, contract, state, parameters }: Execution): bigint {
  if (transaction.raw.bytes('data').length === 0) return 0n;
  const fee = parameters.getMemoFee;
  if (accountOf(state, contract.owner).balance < fee) {
    throw new Refusal('resource', `account ${contract.owner} insufficient balance[${fee}] to memo fee`);
  }
  adjustBalance(state, contract.owner, -fee, 'resource');
  return fee;
}
