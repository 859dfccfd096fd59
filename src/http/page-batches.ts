const EXPORT_BATCH = 500;

/**
 * Reads a list page by page for an export, `max` rows at most. `page` returns up to `limit + 1` rows after the row with the
 * id `after`.
 */
export async function* pageBatches<Row extends { readonly id: string }>(
  max: number,
  page: (limit: number, after: string | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let left = max, after: string | undefined; left > 0;) {
    const limit = Math.min(EXPORT_BATCH, left);
    const found = await page(limit, after);
    const batch = found.slice(0, limit);
    if (batch.length > 0) yield batch;
    if (found.length <= limit) return;
    left -= batch.length;
    after = batch.at(-1)?.id;
  }
}
