import { Button, Group } from '@mantine/core';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** How many pages of a list lie behind this entry of the history. */
    readonly pagesBehind?: number;
  }
}

/** The search parameter that holds the cursor of a page. */
export interface CursorSearch {
  readonly after?: string;
}

/** Moves through a list by cursors in the address: every page can be shared, and the browser's back button works. */
export function Pager({ nextCursor }: { readonly nextCursor: string | null }) {
  const router = useRouter();
  const navigate = useNavigate();
  const { search, state } = useLocation();
  const isFirst = (search as CursorSearch).after === undefined;
  const behind = state.pagesBehind ?? 0;
  if (isFirst && nextCursor === null) return null;
  const goTo = (after: string | undefined, pagesBehind: number) =>
    void navigate({ to: '.', search: ((old: object) => ({ ...old, after })) as never, state: { pagesBehind } });
  return (
    <Group component="nav" gap="xs" aria-label="Pages of the list" justify="flex-end">
      {!isFirst && (
        <Button variant="default" size="xs" onClick={() => goTo(undefined, 0)}>
          First page
        </Button>
      )}
      {!isFirst && behind > 0 && (
        <Button variant="default" size="xs" onClick={() => router.history.back()}>
          Previous
        </Button>
      )}
      <Button
        variant="default"
        size="xs"
        disabled={nextCursor === null}
        onClick={() => nextCursor !== null && goTo(nextCursor, behind + 1)}
      >
        Next
      </Button>
    </Group>
  );
}
