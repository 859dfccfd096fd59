import { errors } from 'undici';

/** The step at which a request failed before its answer. The receiver or the network caused it. */
export type OutboundErrorCode = 'dns' | 'refused_target' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

/** A failed request. The merchant sees `message`, so it contains no address that our resolver found. */
export class OutboundFault extends Error {
  constructor(
    readonly code: OutboundErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'OutboundFault';
  }
}

/** Errors that our own use of undici causes: they are defects of ours. */
const OUR_FAULTS: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/** Codes of undici and the system for a connection that the receiver or the network dropped. */
const DROPPED = /^(UND_ERR_SOCKET|UND_ERR_INFO|E(?!RR_).*)$/;

/** Converts an error after the connection was established. An error of our own is rethrown. */
export function outboundFaultOf(error: unknown): OutboundFault {
  if (error instanceof OutboundFault) return error;
  // Recognised by its class: undici 7.30 leaves its code undefined.
  if (error instanceof errors.HTTPParserError) return notHttp(error.message, error);
  const code = errorCodeOf(error);
  if (code === null || OUR_FAULTS.has(code)) throw error;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new OutboundFault('tls', `The TLS connection failed (${code}).`, error);
  }
  if (DROPPED.test(code)) {
    return new OutboundFault('reset', 'The connection was closed before the answer was complete.', error);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new OutboundFault('protocol', "The answer's headers are too large.", error);
  }
  return notHttp(code, error);
}

function notHttp(detail: string, cause: unknown): OutboundFault {
  return new OutboundFault('protocol', `The answer is not valid HTTP/1.1 (${detail}).`, cause);
}

/** Returns the `code` of an error of Node or undici, or null. */
export function errorCodeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}
