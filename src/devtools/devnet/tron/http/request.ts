import type { Json } from '../wire/json.js';
import { bytesFromJson, hexBytes, JsonParseError } from '../wire/message-json.js';
import { addressKey } from '../address.js';
import type { NodeView } from './node-view.js';

const WHOLE_NUMBER = /^-?\d+$/;

/** The parameters of a request, from its query or its JSON body. */
export class RequestParams {
  readonly members: Readonly<Record<string, unknown>>;

  constructor(members: Readonly<Record<string, unknown>>) {
    this.members = members;
  }

  /** Whether addresses are base58 and texts are readable. */
  get isVisible(): boolean {
    return this.flag('visible');
  }

  flag(name: string): boolean {
    const value = this.members[name];
    return value === true || value === 'true';
  }

  /** Returns a text, or '' when there is none. */
  text(name: string): string {
    const value = this.members[name];
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  }

  /** Returns a whole number, or 0 when there is none. @throws JsonParseError */
  number(name: string): number {
    const value = this.text(name);
    if (value === '') return 0;
    if (!WHOLE_NUMBER.test(value)) throw new JsonParseError(`For input string: "${value}"`);
    return Number(value);
  }

  /** Returns the hex of bytes, such as an id. @throws JsonParseError */
  hex(name: string): string {
    return Buffer.from(hexBytes(this.text(name))).toString('hex');
  }

  /** Returns the key of an address. @throws JsonParseError */
  address(name: string): string {
    return addressKey(bytesFromJson('address', this.text(name), this.isVisible));
  }
}

/** Answers one call. */
export type Handler = (params: RequestParams, view: NodeView) => Json | Promise<Json>;

export type Handlers = Readonly<Record<string, Handler>>;
