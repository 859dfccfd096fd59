/** What a check found. A warning needs attention; a failure keeps the service from its work. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it; null when all is well. */
  readonly fix: string | null;
}

export const ok = (check: string, detail: string): Finding => ({ check, level: 'ok', detail, fix: null });
export const warn = (check: string, detail: string, fix: string): Finding => ({ check, level: 'warn', detail, fix });
export const fail = (check: string, detail: string, fix: string): Finding => ({ check, level: 'fail', detail, fix });
