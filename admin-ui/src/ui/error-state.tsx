import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';
import { Copy } from './copy.tsx';

/** What failed, what to quote, and the way to try again. */
export function ErrorState({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: () => void }) {
  return (
    <Alert color="red" variant="light" title={titleOf(error)}>
      <Stack gap="xs" align="flex-start">
        <span>{error.message}</span>
        {error.requestId !== null && (
          <Group gap={4}>
            <span>Request</span>
            <Copy value={error.requestId} label="request id" />
          </Group>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Retry
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function titleOf({ status, code }: ApiError): string {
  if (code === 'unreachable') return 'No connection';
  if (status === 403) return 'Not permitted';
  if (status === 404) return 'Not found';
  return 'This could not be loaded';
}
