/** True for text that PostgreSQL cannot store or UTF-8 cannot carry: a NUL, or half of a surrogate pair. */
export function hasForbiddenText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}
