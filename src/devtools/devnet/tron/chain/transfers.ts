import { addressKey, isAddress } from '../address.js';
import { newAccount } from './account.js';
import { accountOf, adjustBalance } from './accounts.js';
import type { ChainParameters } from './chain-parameters.js';
import type { ChainState } from './chain-state.js';
import type { Execution } from './execution.js';
import { invalid } from './refusal.js';
import type { TronContract } from './tron-transaction.js';

/** What a contract is checked against: the state before it. */
export interface CheckContext {
  readonly state: ChainState;
  readonly parameters: ChainParameters;
  /** The time of the previous block. */
  readonly now: number;
  readonly slot: bigint;
}

const INT64_MAX = 2n ** 63n - 1n;

/** Source: TransferActuator.validate. @throws Refusal */
export function checkTransfer({ body, owner }: TronContract, { state, parameters }: CheckContext): void {
  const to = addressKey(body.bytes('to_address'));
  const amount = body.int('amount');
  if (!isAddress(body.bytes('owner_address'))) throw invalid('Invalid ownerAddress!');
  if (!isAddress(body.bytes('to_address'))) throw invalid('Invalid toAddress!');
  if (to === owner) throw invalid('Cannot transfer TRX to yourself.');
  const payer = state.accounts.get(owner);
  if (payer === null) throw invalid('Validate TransferContract error, no OwnerAccount.');
  if (amount <= 0n) throw invalid('Amount must be greater than 0.');
  const recipient = state.accounts.get(to);
  if (recipient?.type === 'Contract' && parameters.getForbidTransferToContract === 1n) {
    throw invalid('Cannot transfer TRX to a smartContract.');
  }
  const fee = recipient === null ? parameters.getCreateNewAccountFeeInSystemContract : 0n;
  if (payer.balance < amount + fee) throw invalid('Validate TransferContract error, balance is not sufficient.');
  if ((recipient?.balance ?? 0n) + amount > INT64_MAX) throw invalid('long overflow');
}

/** Moves TRX and activates the recipient when needed. Returns the burned fee. Source: TransferActuator.execute. */
export function transfer({ contract, state, parameters, place }: Execution): bigint {
  const to = addressKey(contract.body.bytes('to_address'));
  const amount = contract.body.int('amount');
  const isNew = state.accounts.get(to) === null;
  if (isNew) state.accounts.set(to, newAccount(to, 'Normal', place.headTime));
  const fee = isNew ? parameters.getCreateNewAccountFeeInSystemContract : 0n;
  adjustBalance(state, contract.owner, -(amount + fee), 'execute');
  adjustBalance(state, to, amount, 'execute');
  return fee;
}

/** Source: CreateAccountActuator.validate. @throws Refusal */
export function checkAccountCreation({ body, owner }: TronContract, { state, parameters }: CheckContext): void {
  const address = body.bytes('account_address');
  if (!isAddress(body.bytes('owner_address'))) throw invalid('Invalid ownerAddress');
  const payer = state.accounts.get(owner);
  if (payer === null) throw invalid(`Account[${owner}] not exists`);
  if (payer.balance < parameters.getCreateNewAccountFeeInSystemContract) {
    throw invalid('Validate CreateAccountActuator error, insufficient fee.');
  }
  if (!isAddress(address)) throw invalid('Invalid account address');
  if (state.accounts.get(addressKey(address)) !== null) throw invalid('Account has existed');
}

/** Activates an account. Returns the burned fee. Source: CreateAccountActuator.execute. */
export function createAccount({ contract, state, parameters, place }: Execution): bigint {
  const address = addressKey(contract.body.bytes('account_address'));
  const fee = parameters.getCreateNewAccountFeeInSystemContract;
  state.accounts.set(address, newAccount(address, 'Normal', place.headTime));
  adjustBalance(state, accountOf(state, contract.owner).address, -fee, 'execute');
  return fee;
}
