/** Returns the anchor of a heading, as repository hosts make it. `rate_limited` stays unchanged, so that `doc_url` works. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
