/** One search and replace in one file; the search string occurs there exactly once. */
export interface Edit {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

/** A deliberate bug. */
export interface Bug {
  /** Its name on the command line. */
  readonly name: string;
  /** The harm for merchants, payers or operators. */
  readonly harm: string;
  readonly edits: readonly Edit[];
  /** Spec files that are expected to fail; all of them are part of `npm test`. */
  readonly specs: readonly string[];
}

/** Returns the text with the edit; throws when the edit does not apply exactly once. */
export function withEdit(text: string, { file, search, replace }: Edit): string {
  const count = text.split(search).length - 1;
  if (count !== 1) throw new Error(`${file} contains ${count} times, and not once: ${search}`);
  // A function, so that a `$` in the replacement is literal.
  return text.replace(search, () => replace);
}
