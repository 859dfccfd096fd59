/** Whether a text has a NUL, which PostgreSQL cannot store, or an unpaired surrogate, which UTF-8 cannot encode. */
export function hasForbiddenText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}
