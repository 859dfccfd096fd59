import { Stack, Text } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { asApiError } from '../api/api-error.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

/** An address that no page has. */
export function NotFound() {
  return (
    <Page title="No page here">
      <Stack gap="xs">
        <Text>The address may be incomplete, or from another version of the console.</Text>
        <Link to="/">Go to the first page</Link>
      </Stack>
    </Page>
  );
}

/** A page that could not be shown. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="This page failed">
      <ErrorState error={asApiError(error)} onRetry={retry} />
    </Page>
  );
}
