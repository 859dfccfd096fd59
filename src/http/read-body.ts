import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/errors.js';

/** The largest request body, in bytes. */
export const BODY_MAX_BYTES = 65_536;

const DISCARD_MAX_BYTES = 1_048_576;
const DISCARD_MAX_MS = 2_000;

/** Whether the request has, or may have, a body, by its headers. */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/**
 * Reads the whole body, with or without a Content-Length. Throws `payload_too_large` beyond `maxBytes`, without reading
 * more, and `invalid_request` when the client disconnects.
 */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) settle(() => reject(tooLarge(maxBytes)));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, size)));
    const onGone = (): void =>
      settle(() => reject(new DomainError('invalid_request', 'The body is incomplete: the connection was closed.')));
    const settle = (finish: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone).pause();
      finish();
    };
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/**
 * Reads and discards the rest of a body. Closing the connection at once would reset it, and a client that is still sending
 * would never see the answer. The limits protect against endless bodies.
 */
export function discardBody(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  let allowance = DISCARD_MAX_BYTES;
  const timer = setTimeout(() => req.destroy(), DISCARD_MAX_MS).unref();
  req.on('data', (chunk: Buffer) => {
    allowance -= chunk.length;
    if (allowance < 0) req.destroy();
  });
  req.once('close', () => clearTimeout(timer));
  req.resume();
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
}
