import { HttpException } from '@nestjs/common';
import { DomainError, type ErrorCode } from '../domain/errors.js';
import { isDatabaseUnavailable } from './database-error.js';

/** Messages for errors of the framework, whose own messages may reveal internals. */
const BY_STATUS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['invalid_request', 'The request could not be understood.'],
  401: ['unauthorized', 'The API key is missing or invalid.'],
  403: ['forbidden', 'This is not allowed.'],
  404: ['not_found', 'No such resource.'],
  405: ['method_not_allowed', 'The method is not allowed here.'],
  413: ['payload_too_large', 'The request is too large.'],
  415: ['unsupported_media_type', 'The content type is not supported.'],
  429: ['rate_limited', 'Too many requests.'],
  503: ['service_unavailable', 'The service is temporarily unavailable.'],
};

/** Converts a thrown value to the error for the caller; null for a defect, which is logged and hidden. */
export function toDomainError(thrown: unknown): DomainError | null {
  if (thrown instanceof DomainError) return thrown;
  if (isDatabaseUnavailable(thrown)) {
    return new DomainError('service_unavailable', 'The database is temporarily unavailable.', { cause: thrown });
  }
  if (isUndecodablePath(thrown)) {
    return new DomainError('invalid_request', 'The path is not valid percent-encoded UTF-8.', { cause: thrown });
  }
  const status = statusOf(thrown);
  const known = status === null ? undefined : (BY_STATUS[status] ?? (status < 500 ? BY_STATUS[400] : undefined));
  return known === undefined ? null : new DomainError(known[0], known[1], { cause: thrown });
}

/** Whether a path like `/%E0%A4%A` could not be decoded. Nest wraps Express's error; middleware does not. */
function isUndecodablePath(thrown: unknown): boolean {
  return thrown instanceof URIError || (thrown instanceof HttpException && thrown.cause instanceof URIError);
}

/** The status of a Nest exception or of an `http-errors` error for the client. */
function statusOf(thrown: unknown): number | null {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (!(thrown instanceof Error) || !('expose' in thrown) || thrown.expose !== true) return null;
  return 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : null;
}
