import { UsageError } from './command.js';

const LIMIT_MAX = 500;

/** The options of a command that lists deposits page by page. */
export const pageOptions = {
  limit: {
    type: 'string',
    value: 'N',
    default: '50',
    about: `Deposits on one page, 1 to ${LIMIT_MAX}; 50 by default.`,
  },
  after: { type: 'string', value: 'ID', about: 'Go on after this deposit, dep_...' },
} as const;

/** @throws UsageError */
export function pageLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw new UsageError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}
