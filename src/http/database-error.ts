import { TRANSIENT_SQLSTATES } from '../domain/transient-sqlstates.js';

/** Node's codes for a peer that is unreachable or has closed the connection. */
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'ENOENT']);

const TRANSIENT_CODES: ReadonlySet<string> = new Set(TRANSIENT_SQLSTATES);
/** Connection failures and insufficient resources, such as a full disk or no free connection. */
const TRANSIENT_CLASSES = /^(?:08|53)[0-9A-Z]{3}$/;

/** Errors of `pg` without a code. */
const PG_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end on the pool',
  'Query read timeout',
];

/** A missing file has one of the same codes; only network calls count. */
const NETWORK_CALLS = new Set<unknown>(['connect', 'read', 'write', 'getaddrinfo']);

const CAUSE_DEPTH_MAX = 5;

/** Whether the error, or one of its causes, means that the database is temporarily unavailable or overloaded. */
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
  if (TRANSIENT_CODES.has(code) || TRANSIENT_CLASSES.test(code)) return true;
  if (NETWORK_CODES.has(code) && 'syscall' in error && NETWORK_CALLS.has(error.syscall)) return true;
  return PG_MESSAGES.some((text) => error.message.startsWith(text));
}
