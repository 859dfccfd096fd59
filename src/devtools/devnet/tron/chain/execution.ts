import type { ContractResult } from '../wire/tron-messages.js';
import type { InternalTransaction, TransactionLog } from '../vm/call-trace.js';
import type { Evm } from '../vm/evm.js';
import type { ChainParameters } from './chain-parameters.js';
import type { ChainState } from './chain-state.js';
import type { TronContract, TronTransaction } from './tron-transaction.js';

/** The place of a transaction: the block that it is in, or would be in, and the block before that. */
export interface ExecutionPlace {
  readonly number: number;
  /** Ms; contracts see it as their block's time. */
  readonly time: number;
  /** The time of the previous block, by which accounts, expirations and stakes are dated. */
  readonly headTime: number;
  /** The slot of the previous block. */
  readonly slot: bigint;
}

/** What a transaction is executed with. */
export interface Execution {
  readonly transaction: TronTransaction;
  readonly contract: TronContract;
  readonly state: ChainState;
  readonly parameters: ChainParameters;
  /** Dynamic energy: ten-thousandths that a contract costs on top, by its address key. */
  readonly energyFactors: Readonly<Record<string, bigint>>;
  readonly place: ExecutionPlace;
  readonly evm: Evm;
}

/** What a contract did. */
export interface ContractOutcome {
  readonly result: ContractResult;
  /** What it returned. */
  readonly output: Uint8Array;
  readonly logs: readonly TransactionLog[];
  readonly internal: readonly InternalTransaction[];
  readonly energy: { readonly staked: bigint; readonly fee: bigint; readonly total: bigint; readonly penalty: bigint };
  /** Why it failed. */
  readonly message: string;
}

/** What a transaction cost, and what came of it. Amounts in sun. */
export interface Outcome {
  /** Everything that was burned for it. */
  readonly fee: bigint;
  readonly netUsage: bigint;
  readonly netFee: bigint;
  /** Of a call to a contract alone. */
  readonly call: (ContractOutcome & { readonly contract: string }) | null;
  /** Sun of earlier unstakings that it paid out. */
  readonly withdrawn: bigint;
}

/** The result that a transaction has in its block. */
export const contractRetOf = (outcome: Outcome): ContractResult => outcome.call?.result ?? 'SUCCESS';
