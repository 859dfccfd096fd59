import type { Chain } from '../offers/chain.entity.js';
import { as } from '../platform/sql/as.js';
import { lines } from '../platform/sql/relation.js';
import type { Row } from '../platform/sql/row.js';
import { join, raw, type RowOf, sql, type SqlText } from '../platform/sql/sql.js';
import type { LiveTopic } from './live-topic.js';

/** The rows at the end of an index that a mark reads. More new ones within a second change it anyway. */
export const NEWEST = raw('200');
/** The rows of a small set, such as what is in flight. */
export const SMALL_SET = raw('500');

export const each = lines('each', [{ environment: 'sandbox' }, { environment: 'live' }]);

export const topicOf = (topic: LiveTopic) => sql`${raw(`'${topic}'`)} ${as.textOf<LiveTopic>()('topic')}`;

/** One number for rows in any order: it differs once a row is new, gone, or has another value in one of these columns. */
export const markOf = (...columns: readonly SqlText[]) =>
  sql`sum(hashtextextended(concat_ws(' ', ${join(columns, ', ')}), 0))::text ${as.text('mark')}`;

/** A text that changes when something of a topic changes in an environment. A topic may have several. */
export type ChangeMark = RowOf<typeof topicOf> & Row<Chain, 'environment'> & RowOf<typeof markOf>;
