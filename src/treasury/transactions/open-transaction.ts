import type { RowOf } from '../../platform/sql/sql.js';
import type { openTransactions } from './outcomes.sql.js';

/** An outgoing transaction that is not final, with the hashes of all its attempts, the newest first. */
export interface OpenTransaction extends Omit<
  RowOf<typeof openTransactions>,
  'nonce' | 'destination' | 'value' | 'data'
> {
  readonly chainRef: string;
  readonly nonce: number;
}
