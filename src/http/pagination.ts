import { z } from 'zod';
import { safeText } from './request-schema.js';

/** The query parameters of every list, to spread into `queryOf`. */
export const LIST_QUERY = {
  limit: z.int().min(1).max(100).default(25).meta({ description: 'Maximum number of items on the page.' }),
  starting_after: safeText({ min: 1, max: 64 })
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page: the list continues after this item.' }),
};

/** One page of a list, newest first (spec 2.3). */
export interface ListPage<Item> {
  object: 'list';
  has_more: boolean;
  next_cursor: string | null;
  data: Item[];
}

/** Makes a page from up to `limit + 1` items: the extra one only shows that there are more. */
export function listPage<Item extends { readonly id: string }>(items: readonly Item[], limit: number): ListPage<Item> {
  const data = items.slice(0, limit);
  const hasMore = items.length > limit;
  return { object: 'list', has_more: hasMore, next_cursor: hasMore ? (data.at(-1)?.id ?? null) : null, data };
}

/** Returns the response schema of a list of `item`; `id` is its name among the document's components. */
export function listPageSchema<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal('list').meta({ description: 'Always `list`.' }),
      has_more: z.boolean().meta({ description: 'True when more items follow this page.' }),
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'Send it as `starting_after` for the next page. Null on the last page.' }),
      data: z.array(item).meta({ description: 'The items of this page.' }),
    })
    .meta({ id });
}
