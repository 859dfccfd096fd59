import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';

const RETRIES_MAX = 2;
const STALE_AFTER_MS = 5_000;

/** Whether the same request may succeed soon: a lost network, a restart of the service. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'unreachable' || error.status >= 502);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
      staleTime: STALE_AFTER_MS,
      // Rows change when the reader asks for it, not when a window comes to the front.
      refetchOnWindowFocus: false,
    },
  },
});
