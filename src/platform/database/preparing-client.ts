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
 * plans the statements of the hot paths once per connection. Statements without parameters (DDL, `begin`, SQL that the
 * ORM wrote out with literals) pass through unchanged, and the number of names is bounded. A connection whose server does
 * not answer in time is torn down, since pg would give it back to the pool with the unanswered statement in front.
 */
export class PreparingClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    // Assigned, not overridden: pg overloads `query` five ways, and all of them still hold.
    const plain: (...args: unknown[]) => unknown = this.query.bind(this);
    const prepared = (...args: unknown[]): unknown => {
      const [text, values] = args;
      const name =
        typeof text === 'string' && Array.isArray(values) && values.length > 0 ? statementName(text) : undefined;
      const answer = name === undefined ? plain(...args) : plain({ name, text, values }, ...args.slice(2));
      if (answer instanceof Promise) answer.catch((error: unknown) => this.closeIfUnresponsive(error));
      return answer;
    };
    Reflect.set(this, 'query', prepared);
  }

  private closeIfUnresponsive(error: unknown): void {
    if (error instanceof Error && error.message === 'Query read timeout') this.connection.stream.destroy();
  }
}
