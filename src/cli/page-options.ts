import { UsageError } from './command.js';

const LIMIT_MAX = 500;

/** Returns the options of a paginated list: the plural of its items, and one item with the form of its id. */
export const pageOptionsOf = (many: string, one: string) =>
  ({
    limit: {
      type: 'string',
      value: 'N',
      default: '50',
      about: `${many} per page, 1 to ${LIMIT_MAX}; 50 by default.`,
    },
    after: { type: 'string', value: 'ID', about: `Continue after this ${one}.` },
  }) as const;

/** The options of a paginated list of deposits. */
export const pageOptions = pageOptionsOf('Deposits', 'deposit, dep_...');

/** @throws UsageError */
export function pageLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw new UsageError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}
