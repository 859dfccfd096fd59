/** The anchor of a heading, as repository hosts make it too: `rate_limited` stays as it is, so `doc_url` finds it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
