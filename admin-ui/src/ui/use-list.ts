import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Topic } from '../api/change-stream.ts';
import { BACKGROUND } from '../api/client.ts';
import { useLive } from '../live/use-live.ts';

/** A page of a list, as the service answers it. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

interface ListOptions<Row> {
  /** What the rows are. */
  readonly topic: Topic;
  /** Environment, list, filters and cursor: everything that the rows depend on. */
  readonly queryKey: readonly unknown[];
  /** Loads the page. Hand `headers` on: they keep what the page does by itself from counting as activity. */
  readonly load: (request: {
    readonly signal: AbortSignal;
    readonly headers: Readonly<Record<string, string>>;
  }) => Promise<Page<Row>>;
  /** Only the first page has rows that come in at its top. */
  readonly isFirstPage: boolean;
}

export interface List<Row> {
  /** Undefined while the first load runs. */
  readonly rows: readonly Row[] | undefined;
  readonly nextCursor: string | null;
  readonly error: ApiError | null;
  readonly retry: () => void;
  /** Rows that came in since; shown by `refresh` alone. */
  readonly newCount: number;
  /** Whether there are more new rows than a page holds. */
  readonly isNewCountMore: boolean;
  readonly refresh: () => void;
}

/**
 * A list whose rows keep their places: the newest page is loaded whenever something of the topic changes. Rows that are
 * shown are brought up to date where they stand; new ones are only counted, until the reader asks for them.
 */
export function useList<Row extends { readonly id: string }>({
  topic,
  queryKey,
  load,
  isFirstPage,
}: ListOptions<Row>): List<Row> {
  const client = useQueryClient();
  const live = useLive(topic);
  const shownKey = [...queryKey, 'shown'];
  const shown = useQuery({
    queryKey: shownKey,
    queryFn: ({ signal }) => load({ signal, headers: {} }),
    staleTime: Number.POSITIVE_INFINITY,
    // A visit of the list shows what there is now.
    gcTime: 0,
  });
  const newest = useQuery({
    queryKey: [...queryKey, 'newest'],
    queryFn: ({ signal }) => load({ signal, headers: BACKGROUND }),
    enabled: shown.isSuccess,
    initialData: shown.data,
    ...live,
    retry: false,
    gcTime: 0,
  });
  const current = new Map(newest.data?.data.map((row) => [row.id, row]));
  const known = new Set(shown.data?.data.map(({ id }) => id));
  const isNew = isFirstPage ? newestRows(newest.data?.data ?? [], known) : [];
  return {
    rows: shown.data?.data.map((row) => current.get(row.id) ?? row),
    nextCursor: shown.data?.next_cursor ?? null,
    error: shown.error === null ? null : asApiError(shown.error),
    retry: () => void shown.refetch(),
    newCount: isNew.length,
    isNewCountMore: isNew.length > 0 && isNew.length === newest.data?.data.length,
    refresh: () => {
      if (newest.data !== undefined) client.setQueryData(shownKey, newest.data);
    },
  };
}

/** The rows above the first one that is shown. */
function newestRows<Row extends { readonly id: string }>(
  rows: readonly Row[],
  known: ReadonlySet<string>,
): readonly Row[] {
  const first = rows.findIndex(({ id }) => known.has(id));
  return first === -1 ? rows : rows.slice(0, first);
}
