import { PASSING_SQLSTATES } from '../domain/passing-sqlstates.js';

/** Node's codes for a peer that cannot be reached, or that went away. */
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'ENOENT']);

const TRANSIENT_SQLSTATES: ReadonlySet<string> = new Set(PASSING_SQLSTATES);
/** Connection failures and insufficient resources, such as a full disk or no free connection. */
const TRANSIENT_CLASSES = /^(?:08|53)[0-9A-Z]{3}$/;

/** `pg` gives these no code, only a message. */
const PG_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end on the pool',
  'Query read timeout',
];

/** A missing file has codes of the same list; only calls to a peer count. */
const NETWORK_CALLS = new Set<unknown>(['connect', 'read', 'write', 'getaddrinfo']);

const CAUSE_DEPTH_MAX = 5;

/** True when the error, or an error that caused it, says that the database is away or too busy for the moment. */
export function isDatabaseUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > CAUSE_DEPTH_MAX) return false;
  if (isTransient(error)) return true;
  if (error instanceof AggregateError && error.errors.some((inner) => isDatabaseUnavailable(inner, depth + 1))) {
    return true;
  }
  return isDatabaseUnavailable(error.cause ?? ('previous' in error ? error.previous : undefined), depth + 1);
}

function isTransient(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TRANSIENT_SQLSTATES.has(code) || TRANSIENT_CLASSES.test(code)) return true;
  if (NETWORK_CODES.has(code) && 'syscall' in error && NETWORK_CALLS.has(error.syscall)) return true;
  return PG_MESSAGES.some((text) => error.message.startsWith(text));
}
