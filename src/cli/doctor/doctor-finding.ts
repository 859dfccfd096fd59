/** The result of one check. A warning needs attention; a failure stops a part of the service. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** The next step; null when there is no problem. */
  readonly fix: string | null;
}

export const ok = (check: string, detail: string): Finding => ({ check, level: 'ok', detail, fix: null });
export const warn = (check: string, detail: string, fix: string): Finding => ({ check, level: 'warn', detail, fix });
export const fail = (check: string, detail: string, fix: string): Finding => ({ check, level: 'fail', detail, fix });
