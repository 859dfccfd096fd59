import { base58Of, addressKey, parseAddress } from '../address.js';
import { withoutDefaults, type Json, type JsonObject } from './json.js';
import {
  isRepeated,
  ProtoMessage,
  type BytesForm,
  type ProtoField,
  type ProtoSchema,
  type ProtoValue,
} from './proto-message.js';

/** JSON that is no such message. Source: JsonFormat.ParseException. */
export class JsonParseError extends Error {
  override name = 'JsonParseError';
}

const HEX = /^(0x)?([0-9a-f]{2})*$/i;
const WHOLE_NUMBER = /^-?\d+$/;

/** Decodes hexadecimal digits. @throws JsonParseError */
export function hexBytes(text: string): Uint8Array {
  if (!HEX.test(text)) throw new JsonParseError('INVALID hex String');
  return Buffer.from(text.replace(/^0x/, ''), 'hex');
}

/** Returns a message as java-tron writes it: addresses as base58 and texts as they are when `visible`, else hex. */
export function messageJson(message: ProtoMessage, isVisible: boolean): JsonObject {
  const members = Object.entries(message.schema).map(([name, field]): [string, Json | undefined] => [
    name,
    valueJson(field, message.value(name), isVisible),
  ]);
  return withoutDefaults(Object.fromEntries(members));
}

/** Reads a message from JSON; members that are no fields are ignored. @throws JsonParseError */
export function messageFromJson(schema: ProtoSchema, json: unknown, isVisible: boolean): ProtoMessage {
  const members = isObject(json) ? json : {};
  const values: Record<string, ProtoValue> = {};
  for (const [name, field] of Object.entries(schema)) {
    const member = members[name];
    if (member === undefined || member === null) continue;
    values[name] =
      isRepeated(field) && Array.isArray(member)
        ? member.map((one) => elementOf(valueFromJson(field, one, isVisible)))
        : valueFromJson(field, member, isVisible);
  }
  return ProtoMessage.of(schema, values);
}

/** Returns bytes as a member of an answer. */
export function bytesJson(form: BytesForm, bytes: Uint8Array, isVisible: boolean): string {
  if (!isVisible || form === 'hex' || bytes.length === 0) return Buffer.from(bytes).toString('hex');
  return form === 'address' ? base58Of(addressKey(bytes)) : Buffer.from(bytes).toString('utf8');
}

/** Reads bytes of a request. @throws JsonParseError */
export function bytesFromJson(form: BytesForm, text: string, isVisible: boolean): Uint8Array {
  if (!isVisible || form === 'hex') return hexBytes(text);
  if (form === 'text') return Buffer.from(text, 'utf8');
  const key = parseAddress(text);
  if (key === null || !text.startsWith('T')) throw new JsonParseError('INVALID base58 String, decodeFromBase58Check');
  return hexBytes(key);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueJson(field: ProtoField, value: ProtoValue | undefined, isVisible: boolean): Json | undefined {
  if (value instanceof Uint8Array) return bytesJson(formOf(field), value, isVisible);
  if (value instanceof ProtoMessage) return messageJson(value, isVisible);
  if (Array.isArray(value)) return value.map((one) => valueJson(field, one, isVisible) ?? null);
  if (typeof value !== 'bigint') return typeof value === 'object' ? undefined : value;
  if (field.type !== 'enum') return value;
  const index = field.numbers?.indexOf(Number(value)) ?? Number(value);
  // The first name of an enumeration is its default.
  return value === 0n ? undefined : (field.names[index] ?? value);
}

function valueFromJson(field: ProtoField, json: unknown, isVisible: boolean): ProtoValue {
  switch (field.type) {
    case 'message':
      return messageFromJson(field.schema, json, isVisible);
    case 'bytes':
      return bytesFromJson(field.form, textOf(json), isVisible);
    case 'string':
      return textOf(json);
    case 'bool':
      return json === true || json === 'true';
    case 'enum':
      return enumNumber(field, json);
    default:
      return wholeNumber(json);
  }
}

function enumNumber(field: ProtoField & { readonly type: 'enum' }, json: unknown): bigint {
  if (typeof json === 'number') return wholeNumber(json);
  const index = field.names.indexOf(textOf(json));
  if (index < 0) throw new JsonParseError(`Enum type has no value named "${textOf(json)}".`);
  return BigInt(field.numbers?.[index] ?? index);
}

function wholeNumber(json: unknown): bigint {
  if (typeof json === 'number' && Number.isSafeInteger(json)) return BigInt(json);
  if (typeof json === 'string' && WHOLE_NUMBER.test(json)) return BigInt(json);
  throw new JsonParseError("Couldn't parse integer.");
}

function textOf(json: unknown): string {
  if (typeof json !== 'string') throw new JsonParseError('Expected string.');
  return json;
}

const formOf = (field: ProtoField): BytesForm => (field.type === 'bytes' ? field.form : 'hex');

function elementOf(value: ProtoValue): Uint8Array | ProtoMessage {
  if (value instanceof Uint8Array || value instanceof ProtoMessage) return value;
  throw new JsonParseError('Not a list of messages.');
}
