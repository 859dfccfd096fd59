import { literal } from './sql.js';

/** The largest `bigint`: above the id of every row. */
export const bigintMax = literal(2n ** 63n - 1n);
