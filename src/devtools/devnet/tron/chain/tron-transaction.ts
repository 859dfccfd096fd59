import { createHash } from 'node:crypto';
import { addressKey } from '../address.js';
import { isObject, messageFromJson, messageJson } from '../wire/message-json.js';
import { withoutDefaults, type JsonObject } from '../wire/json.js';
import { ProtoMessage, type ProtoValue } from '../wire/proto-message.js';
import {
  ANY,
  CONTRACT,
  contractName,
  contractNumber,
  contractSchema,
  RAW_DATA,
  TRANSACTION,
} from '../wire/tron-messages.js';
import { invalid } from './refusal.js';

/** The one contract of a transaction. */
export interface TronContract {
  /** Its type, such as `TransferContract`. */
  readonly type: string;
  readonly body: ProtoMessage;
  readonly permissionId: bigint;
  /** Address key of the account that signs and pays. */
  readonly owner: string;
}

/** A transaction as a node keeps it. */
export interface TronTransaction {
  /** SHA-256 of the canonical bytes of `raw_data`, in hex. */
  readonly id: string;
  readonly raw: ProtoMessage;
  readonly signatures: readonly Uint8Array[];
  /** The transaction without results. */
  readonly bytes: Uint8Array;
}

/** Decodes a transaction of the wire; results that it claims are dropped. @throws WireError */
export function decodeTransaction(bytes: Uint8Array): TronTransaction {
  const message = ProtoMessage.decode(TRANSACTION, bytes);
  const raw = message.has('raw_data') ? message.message('raw_data') : ProtoMessage.of(RAW_DATA, {});
  return transactionOf(raw, message.bytesList('signature'));
}

/** Packs `raw_data` and signatures. Like java-tron, it hashes what it encodes itself, not what a client says. */
export function transactionOf(raw: ProtoMessage, signatures: readonly Uint8Array[]): TronTransaction {
  const id = createHash('sha256').update(raw.encode()).digest('hex');
  const bytes = ProtoMessage.of(TRANSACTION, { raw_data: raw, signature: signatures }).encode();
  return { id, raw, signatures, bytes };
}

/**
 * Packs the JSON form of a transaction; `raw_data_hex` and `txID` are ignored. Source: Util.packTransaction.
 * @throws JsonParseError
 */
export function transactionFromJson(json: unknown, isVisible: boolean): TronTransaction {
  const members = isObject(json) ? json : {};
  const rawData = isObject(members['raw_data']) ? members['raw_data'] : {};
  const contracts = Array.isArray(rawData['contract']) ? rawData['contract'] : [];
  const packed = contracts.flatMap((contract: unknown) => packedContract(contract, isVisible));
  const message = messageFromJson(
    TRANSACTION,
    { raw_data: { ...rawData, contract: packed }, signature: members['signature'] ?? [] },
    isVisible,
  );
  return transactionOf(message.message('raw_data'), message.bytesList('signature'));
}

/** A contract whose type is unknown is left out, as by java-tron. */
function packedContract(contract: unknown, isVisible: boolean): JsonObject[] {
  if (!isObject(contract) || typeof contract['type'] !== 'string') return [];
  const schema = contractSchema(contract['type']);
  const parameter = contract['parameter'];
  if (schema === undefined || !isObject(parameter)) return [];
  const body = messageFromJson(schema, parameter['value'], isVisible);
  const permission = contract['Permission_id'];
  return [
    {
      type: contract['type'],
      parameter: { type_url: typeUrl(contract['type']), value: Buffer.from(body.encode()).toString('hex') },
      ...(typeof permission === 'number' ? { Permission_id: permission } : {}),
    },
  ];
}

/** Makes the `raw_data` of a contract. */
export function rawDataOf(
  type: string,
  body: ProtoMessage,
  permissionId: bigint,
  fields: Readonly<Record<string, ProtoValue>>,
): ProtoMessage {
  const parameter = ProtoMessage.of(ANY, { type_url: typeUrl(type), value: body.encode() });
  const contract = ProtoMessage.of(CONTRACT, { type: contractNumber(type), parameter, Permission_id: permissionId });
  return ProtoMessage.of(RAW_DATA, { ...fields, contract: [contract] });
}

/**
 * Returns the one contract of a transaction.
 * @throws Refusal when there is none, more than one, or one of a type that this chain does not model.
 */
export function contractOf({ raw, id }: TronTransaction): TronContract {
  const contracts = raw.messages('contract');
  const [contract] = contracts;
  if (contract === undefined) throw invalid('No contract!');
  if (contracts.length > 1) {
    throw invalid(`tx ${id} contract size should be exactly 1, this is extend feature ,actual :${contracts.length}`);
  }
  const type = contractName(contract.int('type'));
  const schema = type === undefined ? undefined : contractSchema(type);
  if (type === undefined || schema === undefined)
    throw invalid(`contract type ${contract.int('type')} is not modelled`);
  const parameter = contract.message('parameter');
  if (parameter.text('type_url') !== typeUrl(type)) {
    throw invalid(`contract type error, expected type [${type}], real type [${parameter.text('type_url')}]`);
  }
  const body = ProtoMessage.decode(schema, parameter.bytes('value'));
  return {
    type,
    body,
    permissionId: contract.int('Permission_id'),
    owner: addressKey(body.bytes('owner_address')),
  };
}

/** Returns a transaction as java-tron writes it. Source: Util.printTransactionToJSON. */
export function transactionJson(transaction: TronTransaction, isVisible: boolean): JsonObject {
  const { raw, signatures, id } = transaction;
  const { contract: _packed, ...rest } = messageJson(raw, isVisible);
  return withoutDefaults({
    signature: signatures.map((one) => Buffer.from(one).toString('hex')),
    txID: id,
    raw_data: { contract: raw.messages('contract').map((contract) => contractJson(contract, isVisible)), ...rest },
    raw_data_hex: Buffer.from(raw.encode()).toString('hex'),
  });
}

function contractJson(contract: ProtoMessage, isVisible: boolean): JsonObject {
  const type = contractName(contract.int('type')) ?? '';
  const parameter = contract.message('parameter');
  const schema = contractSchema(type) ?? {};
  const permission = contract.int('Permission_id');
  return {
    parameter: {
      value: messageJson(ProtoMessage.decode(schema, parameter.bytes('value')), isVisible),
      type_url: parameter.text('type_url'),
    },
    type,
    ...(permission > 0n ? { Permission_id: permission } : {}),
  };
}

const typeUrl = (type: string): string => `type.googleapis.com/protocol.${type}`;
