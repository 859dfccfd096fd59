import type { components } from './schema.d.ts';

type ErrorObject = components['schemas']['Error']['error'];

/** An answer of the service that is no success, as every page shows it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The id to quote to the operator; null without an answer. */
    readonly requestId: string | null,
    readonly fields: readonly { readonly param: string; readonly message: string }[] = [],
    /** Seconds to wait, when the service says so. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }

  /** Reads the error object; a proxy in between may have answered something else. */
  static from(response: Response, body: unknown): ApiError {
    const error = errorObjectOf(body);
    const requestId = error?.request_id ?? response.headers.get('request-id');
    const retryAfter = Number(response.headers.get('retry-after') ?? '');
    return new ApiError(
      response.status,
      error?.code ?? 'unreadable_answer',
      error?.message ?? `The service answered ${response.status}, and not in its own format.`,
      requestId,
      error?.errors ?? (error?.param === undefined ? [] : [{ param: error.param, message: error.message }]),
      retryAfter > 0 ? retryAfter : null,
    );
  }
}

function errorObjectOf(body: unknown): ErrorObject | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  const { error } = body as { error?: Partial<ErrorObject> };
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ErrorObject) : null;
}

/** Any failure as an error that a page can show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(0, 'unexpected', message, null);
}
