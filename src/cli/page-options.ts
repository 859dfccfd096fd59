import { UsageError } from './command.js';

const LIMIT_MAX = 500;

/** The options of a command that lists things page by page: what they are called, one of them with its id. */
export const pageOptionsOf = (many: string, one: string) =>
  ({
    limit: {
      type: 'string',
      value: 'N',
      default: '50',
      about: `${many} on one page, 1 to ${LIMIT_MAX}; 50 by default.`,
    },
    after: { type: 'string', value: 'ID', about: `Go on after this ${one}.` },
  }) as const;

/** The options of a command that lists deposits page by page. */
export const pageOptions = pageOptionsOf('Deposits', 'deposit, dep_...');

/** @throws UsageError */
export function pageLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw new UsageError(`--limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}
