import { hasForbiddenText } from './text.js';

/** Limits on a body beyond the grammar of JSON. */
export interface JsonRules {
  /** Objects and arrays that may be open at once. */
  readonly maxDepth: number;
  /** Refuses `1e3`, because a schema sees no difference to `1000`. */
  readonly refuseExponents?: boolean;
}

/** The text is not JSON; `position` counts UTF-16 units from 0, and is null where bytes are not UTF-8. */
export interface MalformedJson {
  readonly kind: 'malformed';
  readonly message: string;
  readonly position: number | null;
}

/** The text is JSON that we refuse. `path` names the place, such as `metadata.order`; it is empty for the whole text. */
export interface ForbiddenJson {
  readonly kind: 'forbidden';
  readonly message: string;
  readonly path: string;
}

/** An object (`keys` seen so far, `key` being read) or an array (`keys` null, `index` being read) that is still open. */
interface Container {
  readonly keys: Set<string> | null;
  key: string;
  index: number;
}

type Expected = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'separator' | 'end';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PATH_LENGTH_MAX = 200;

/** Returns why a number literal is refused, or null. A double must not silently change it to another integer or infinity. */
function numberFault(literal: string, refuseExponents: boolean): string | null {
  const value = Number(literal);
  if (!Number.isFinite(value)) return 'The number is too large.';
  if (/[eE]/.test(literal)) return refuseExponents ? 'Write the number without an exponent.' : null;
  const fraction = literal.split('.')[1];
  if (fraction === undefined) {
    return Number.isSafeInteger(value) ? null : 'Integers beyond 2^53 - 1 lose digits; send them as strings.';
  }
  return Number.isInteger(value) && /[1-9]/.test(fraction) ? 'The number has more digits than can be kept.' : null;
}

/** Scans a text in one pass without recursion, so that the cost of a hostile body is linear in its length. */
class JsonScan {
  private at = 0;
  private expected: Expected = 'value';
  private forbidden: ForbiddenJson | null = null;
  private readonly open: Container[] = [];
  /** A well-formed text can contain forbidden characters in escapes only (a raw NUL is no JSON). */
  private readonly checkEveryString: boolean;

  constructor(
    private readonly text: string,
    private readonly rules: JsonRules,
  ) {
    this.checkEveryString = !text.isWellFormed();
  }

  run(): MalformedJson | ForbiddenJson | null {
    for (this.skipSpace(); this.at < this.text.length; this.skipSpace()) {
      if (!this.take(this.text.charCodeAt(this.at))) return this.malformed();
    }
    return this.expected === 'end' ? this.forbidden : this.malformed();
  }

  private skipSpace(): void {
    for (; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  /** Moves past the token that starts with `code`. Returns false, with `at` on the error, when it may not come here. */
  private take(code: number): boolean {
    switch (this.expected) {
      case 'value':
        return this.takeValue(code);
      case 'first-item':
        return code === CLOSE_BRACKET ? this.takeClose() : this.takeValue(code);
      case 'first-key':
        return code === CLOSE_BRACE ? this.takeClose() : this.takeKey(code);
      case 'key':
        return this.takeKey(code);
      case 'colon':
        return code === COLON && this.advance('value');
      case 'separator':
        return this.takeSeparator(code);
      default:
        return false;
    }
  }

  private takeValue(code: number): boolean {
    if (code === OPEN_BRACE) return this.takeOpen(new Set());
    if (code === OPEN_BRACKET) return this.takeOpen(null);
    return (code === QUOTE ? this.readString() !== null : this.takeLiteral()) && this.endValue();
  }

  private takeOpen(keys: Set<string> | null): boolean {
    if (this.open.length === this.rules.maxDepth) this.forbid(`Nested deeper than ${this.rules.maxDepth} levels.`);
    this.open.push({ keys, key: '', index: 0 });
    return this.advance(keys === null ? 'first-item' : 'first-key');
  }

  private takeClose(): boolean {
    this.open.pop();
    this.at++;
    return this.endValue();
  }

  private takeKey(code: number): boolean {
    const object = this.open.at(-1);
    if (code !== QUOTE || !object?.keys) return false;
    const key = this.readString(object);
    if (key === null) return false;
    if (object.keys.has(key)) this.forbid('The key appears more than once in one object.');
    object.keys.add(key);
    this.expected = 'colon';
    return true;
  }

  private takeSeparator(code: number): boolean {
    const container = this.open.at(-1);
    if (!container) return false;
    const isArray = container.keys === null;
    if (code === (isArray ? CLOSE_BRACKET : CLOSE_BRACE)) return this.takeClose();
    if (code !== COMMA) return false;
    container.index++;
    return this.advance(isArray ? 'value' : 'key');
  }

  private takeLiteral(): boolean {
    LITERAL.lastIndex = this.at;
    const literal = LITERAL.exec(this.text)?.[0];
    if (literal === undefined) return false;
    this.at += literal.length;
    const isWord = literal === 'true' || literal === 'false' || literal === 'null';
    const fault = isWord ? null : numberFault(literal, this.rules.refuseExponents === true);
    if (fault !== null) this.forbid(fault);
    return true;
  }

  /** Reads the string at `at`, as the next key of `keyOf` if given; null, with `at` on the error, when malformed. */
  private readString(keyOf?: Container): string | null {
    const end = this.endOfString();
    if (end === null) return null;
    const raw = this.text.slice(this.at + 1, end);
    const escaped = raw.includes('\\');
    const value: string = escaped ? JSON.parse(`"${raw}"`) : raw;
    this.at = end + 1;
    if (keyOf) keyOf.key = value;
    if ((escaped || this.checkEveryString) && hasForbiddenText(value)) {
      this.forbid('Text must not contain a NUL character or an unpaired surrogate.');
    }
    return value;
  }

  /** Returns the position of the closing quote of the string at `at`; null, with `at` on the error, when malformed. */
  private endOfString(): number | null {
    let at = this.at + 1;
    for (; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code < 0x20) break;
      if (code !== BACKSLASH) continue;
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(this.text)) break;
      at = ESCAPE.lastIndex - 1;
    }
    this.at = at;
    return null;
  }

  private advance(expected: Expected): boolean {
    this.at++;
    this.expected = expected;
    return true;
  }

  private endValue(): boolean {
    this.expected = this.open.length === 0 ? 'end' : 'separator';
    return true;
  }

  private malformed(): MalformedJson {
    const message = this.at < this.text.length ? 'Unexpected character' : 'Unexpected end';
    return { kind: 'malformed', message: `${message} at position ${this.at}.`, position: this.at };
  }

  /** Keeps the first finding only and continues: text that is not JSON at all is reported as malformed. */
  private forbid(message: string): void {
    this.forbidden ??= { kind: 'forbidden', message, path: this.path() };
  }

  /** The current path, shortened and cleaned, because the client receives it in an error. */
  private path(): string {
    const segments = this.open.map(({ keys, key, index }) => (keys === null ? String(index) : key));
    return segments.join('.').slice(0, PATH_LENGTH_MAX).toWellFormed().replaceAll('\0', '\uFFFD');
  }
}

/** Checks a text against the grammar of JSON and our rules; null when it passes. Takes time linear in its length. */
export function scanJson(text: string, rules: JsonRules): MalformedJson | ForbiddenJson | null {
  return new JsonScan(text, rules).run();
}
