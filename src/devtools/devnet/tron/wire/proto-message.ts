import { bytesField, readFields, varintField, WireError, writeFields, type WireField } from './protobuf.js';

/** How java-tron writes a field of bytes in JSON: an address, a text when `visible`, or always hex. */
export type BytesForm = 'address' | 'text' | 'hex';

/** A field of a message: its number on the wire and its type. */
export type ProtoField = { readonly no: number } & (
  | { readonly type: 'int' | 'bool' | 'string' }
  | { readonly type: 'bytes'; readonly form: BytesForm; readonly repeated?: true }
  | { readonly type: 'enum'; readonly names: readonly string[]; readonly numbers?: readonly number[] }
  | { readonly type: 'message'; readonly schema: ProtoSchema; readonly repeated?: true }
);

/** The fields of a message by name, in the order of their numbers. */
export type ProtoSchema = Readonly<Record<string, ProtoField>>;

export type ProtoValue = bigint | boolean | string | Uint8Array | ProtoMessage | readonly (Uint8Array | ProtoMessage)[];

/** A decoded message. Fields without a value have the default of their type, and unknown fields are kept, as in proto3. */
export class ProtoMessage {
  private readonly values: ReadonlyMap<string, ProtoValue>;

  readonly schema: ProtoSchema;
  private readonly unknown: readonly WireField[];

  private constructor(schema: ProtoSchema, values: ReadonlyMap<string, ProtoValue>, unknown: readonly WireField[]) {
    this.schema = schema;
    this.unknown = unknown;
    this.values = values;
  }

  static of(schema: ProtoSchema, values: Readonly<Record<string, ProtoValue>>): ProtoMessage {
    return new ProtoMessage(schema, new Map(Object.entries(values)), []);
  }

  /** @throws WireError when the bytes are not such a message. */
  static decode(schema: ProtoSchema, bytes: Uint8Array): ProtoMessage {
    const byNumber = new Map(Object.entries(schema).map(([name, field]) => [field.no, { name, field }]));
    const values = new Map<string, ProtoValue>();
    const unknown: WireField[] = [];
    for (const wire of readFields(bytes)) {
      const known = byNumber.get(wire.number);
      const value = known === undefined ? undefined : valueOf(known.field, wire);
      if (known === undefined || value === undefined) unknown.push(wire);
      else values.set(known.name, isRepeated(known.field) ? appended(values.get(known.name), value) : value);
    }
    return new ProtoMessage(schema, values, unknown);
  }

  /** The canonical bytes: known fields by number and without defaults, then the unknown ones. */
  encode(): Uint8Array {
    const known = Object.entries(this.schema)
      .toSorted(([, a], [, b]) => a.no - b.no)
      .flatMap(([name, field]) => wireOf(field, this.values.get(name)));
    return writeFields([...known, ...this.unknown]);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  value(name: string): ProtoValue | undefined {
    return this.values.get(name);
  }

  int(name: string): bigint {
    const value = this.values.get(name) ?? 0n;
    if (typeof value === 'bigint') return value;
    throw new WireError(`${name} is not a number.`);
  }

  bool(name: string): boolean {
    return this.values.get(name) === true;
  }

  text(name: string): string {
    const value = this.values.get(name) ?? '';
    if (typeof value === 'string') return value;
    throw new WireError(`${name} is not a text.`);
  }

  bytes(name: string): Uint8Array {
    const value = this.values.get(name) ?? new Uint8Array();
    if (value instanceof Uint8Array) return value;
    throw new WireError(`${name} is not bytes.`);
  }

  message(name: string): ProtoMessage {
    const value = this.values.get(name);
    if (value instanceof ProtoMessage) return value;
    throw new WireError(`${name} is missing.`);
  }

  messages(name: string): ProtoMessage[] {
    return this.list(name).filter((value) => value instanceof ProtoMessage);
  }

  bytesList(name: string): Uint8Array[] {
    return this.list(name).filter((value) => value instanceof Uint8Array);
  }

  private list(name: string): readonly (Uint8Array | ProtoMessage)[] {
    const value = this.values.get(name) ?? [];
    if (Array.isArray(value)) return value;
    throw new WireError(`${name} is not a list.`);
  }
}

/** Whether a field may occur several times. */
export const isRepeated = (field: ProtoField): boolean => 'repeated' in field && field.repeated === true;

/** Returns the value of a field; undefined when it has another wire type, like a field that is unknown. */
function valueOf(field: ProtoField, { value }: WireField): ProtoValue | undefined {
  if (typeof value === 'bigint') {
    if (field.type === 'bool') return value !== 0n;
    return field.type === 'int' || field.type === 'enum' ? BigInt.asIntN(64, value) : undefined;
  }
  if (field.type === 'bytes') return value;
  if (field.type === 'string') return Buffer.from(value).toString('utf8');
  return field.type === 'message' ? ProtoMessage.decode(field.schema, value) : undefined;
}

function appended(list: ProtoValue | undefined, value: ProtoValue): ProtoValue {
  if (!(value instanceof Uint8Array) && !(value instanceof ProtoMessage)) throw new WireError('Not a list.');
  return Array.isArray(list) ? [...list, value] : [value];
}

function wireOf({ no }: ProtoField, value: ProtoValue | undefined): WireField[] {
  if (value === undefined || value === false || value === 0n || value === '') return [];
  if (typeof value === 'bigint') return [varintField(no, value)];
  if (value === true) return [varintField(no, 1n)];
  if (typeof value === 'string') return [bytesField(no, Buffer.from(value, 'utf8'))];
  if (value instanceof ProtoMessage) return [bytesField(no, value.encode())];
  if (value instanceof Uint8Array) return value.length === 0 ? [] : [bytesField(no, value)];
  return value.map((one) => bytesField(no, one instanceof ProtoMessage ? one.encode() : one));
}
