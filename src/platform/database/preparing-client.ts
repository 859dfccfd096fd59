import { createHash } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';

const NAMES_MAX = 500;
const names = new Map<string, string>();

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= NAMES_MAX) return undefined;
  const name = `s_${createHash('sha1').update(text).digest('base64url')}`;
  names.set(text, name);
  return name;
}

/**
 * A pg client that runs every statement with parameters as a named prepared statement, so that PostgreSQL parses and
 * plans hot statements once per connection. Statements without parameters (DDL, `begin`, SQL of the ORM with literals) are
 * not changed, and the number of names is bounded.
 */
export class PreparingClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    // Assigned, not overridden: pg has five overloads of `query`, and all of them stay valid.
    const plain: (...args: unknown[]) => unknown = this.query.bind(this);
    const prepared = (...args: unknown[]): unknown => {
      const [text, values] = args;
      const name =
        typeof text === 'string' && Array.isArray(values) && values.length > 0 ? statementName(text) : undefined;
      return name === undefined ? plain(...args) : plain({ name, text, values }, ...args.slice(2));
    };
    Reflect.set(this, 'query', prepared);
  }
}
