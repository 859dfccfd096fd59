import type { ProtoField, ProtoSchema } from './proto-message.js';

const int = (no: number): ProtoField => ({ no, type: 'int' });
const bool = (no: number): ProtoField => ({ no, type: 'bool' });
const address = (no: number): ProtoField => ({ no, type: 'bytes', form: 'address' });
const hex = (no: number): ProtoField => ({ no, type: 'bytes', form: 'hex' });
const text = (no: number): ProtoField => ({ no, type: 'bytes', form: 'text' });
const resource = (no: number): ProtoField => ({ no, type: 'enum', names: ['BANDWIDTH', 'ENERGY', 'TRON_POWER'] });
const owner = address(1);

/** The contract types of this chain with their numbers and fields (core/contract/*.proto). */
const CONTRACTS: Readonly<Record<string, { readonly no: number; readonly schema: ProtoSchema }>> = {
  AccountCreateContract: {
    no: 0,
    schema: {
      owner_address: owner,
      account_address: address(2),
      type: { no: 3, type: 'enum', names: ['Normal', 'AssetIssue', 'Contract'] },
    },
  },
  TransferContract: { no: 1, schema: { owner_address: owner, to_address: address(2), amount: int(3) } },
  TriggerSmartContract: {
    no: 31,
    schema: {
      owner_address: owner,
      contract_address: address(2),
      call_value: int(3),
      data: hex(4),
      call_token_value: int(5),
      token_id: int(6),
    },
  },
  FreezeBalanceV2Contract: { no: 54, schema: { owner_address: owner, frozen_balance: int(2), resource: resource(3) } },
  UnfreezeBalanceV2Contract: {
    no: 55,
    schema: { owner_address: owner, unfreeze_balance: int(2), resource: resource(3) },
  },
  WithdrawExpireUnfreezeContract: { no: 56, schema: { owner_address: owner } },
  DelegateResourceContract: {
    no: 57,
    schema: {
      owner_address: owner,
      resource: resource(2),
      balance: int(3),
      receiver_address: address(4),
      lock: bool(5),
      lock_period: int(6),
    },
  },
  UnDelegateResourceContract: {
    no: 58,
    schema: { owner_address: owner, resource: resource(2), balance: int(3), receiver_address: address(4) },
  },
};

const NAME_OF_NUMBER = new Map(Object.entries(CONTRACTS).map(([name, { no }]) => [no, name]));

/** `google.protobuf.Any`. */
export const ANY: ProtoSchema = { type_url: { no: 1, type: 'string' }, value: hex(2) };

/** `protocol.Transaction.Contract`. */
export const CONTRACT: ProtoSchema = {
  type: {
    no: 1,
    type: 'enum',
    names: [...NAME_OF_NUMBER.values()],
    numbers: [...NAME_OF_NUMBER.keys()],
  },
  parameter: { no: 2, type: 'message', schema: ANY },
  provider: hex(3),
  ContractName: text(4),
  Permission_id: int(5),
};

/** `protocol.Transaction.raw`. */
export const RAW_DATA: ProtoSchema = {
  ref_block_bytes: hex(1),
  ref_block_num: int(3),
  ref_block_hash: hex(4),
  expiration: int(8),
  data: hex(10),
  contract: { no: 11, type: 'message', schema: CONTRACT, repeated: true },
  scripts: hex(12),
  timestamp: int(14),
  fee_limit: int(18),
};

/** `protocol.Transaction.Result`, as far as it is in a block. */
export const RESULT: ProtoSchema = { fee: int(1), ret: int(2), contractRet: int(3) };

/** `protocol.Transaction`. */
export const TRANSACTION: ProtoSchema = {
  raw_data: { no: 1, type: 'message', schema: RAW_DATA },
  signature: { no: 2, type: 'bytes', form: 'hex', repeated: true },
  ret: { no: 5, type: 'message', schema: RESULT, repeated: true },
};

/** `protocol.BlockHeader.raw`. */
export const BLOCK_HEADER: ProtoSchema = {
  timestamp: int(1),
  txTrieRoot: hex(2),
  parentHash: hex(3),
  number: int(7),
  witness_address: address(9),
  version: int(10),
};

/** Returns the fields of a contract type; undefined for a type that this chain does not model. */
export const contractSchema = (name: string): ProtoSchema | undefined => CONTRACTS[name]?.schema;

/** Returns the name of a contract type; undefined for a type that this chain does not model. */
export const contractName = (no: bigint): string | undefined => NAME_OF_NUMBER.get(Number(no));

/** Returns the number of a contract type that this chain models. */
export function contractNumber(name: string): bigint {
  const { no } = CONTRACTS[name] ?? {};
  if (no === undefined) throw new Error(`${name} is not modelled.`);
  return BigInt(no);
}

/** The results of a contract's execution by their number (`Transaction.Result.contractResult`). */
export const CONTRACT_RESULTS = {
  SUCCESS: 1n,
  REVERT: 2n,
  BAD_JUMP_DESTINATION: 3n,
  STACK_TOO_SMALL: 6n,
  STACK_TOO_LARGE: 7n,
  ILLEGAL_OPERATION: 8n,
  OUT_OF_ENERGY: 10n,
  UNKNOWN: 13n,
  TRANSFER_FAILED: 14n,
} as const;

export type ContractResult = keyof typeof CONTRACT_RESULTS;
