import { Alert } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';

const MINUTE_S = 60;

/** What a form was answered, announced at once. */
export function FormError({ error }: { readonly error: ApiError | null }) {
  if (error === null) return null;
  const { message, retryAfterSeconds, requestId, status } = error;
  return (
    <Alert color="red" variant="light">
      {message}
      {retryAfterSeconds !== null && status === 429 && ` Try again in ${waiting(retryAfterSeconds)}.`}
      {status >= 500 && requestId !== null && ` Request ${requestId}.`}
    </Alert>
  );
}

function waiting(seconds: number): string {
  if (seconds <= MINUTE_S) return `${seconds} s`;
  return `${Math.ceil(seconds / MINUTE_S)} min`;
}
