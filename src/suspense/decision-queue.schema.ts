import { z } from 'zod';
import { LIST_QUERY } from '../http/pagination.js';
import { queryOf } from '../http/request-schema.js';

/** What waits for a decision of staff, and what they decided to keep or to refund. */
export const DECISION_KINDS = ['unattributed', 'on_hold', 'reorged', 'quarantined', 'kept', 'refunding'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

const DECISION_FILTERS = {
  kind: z
    .enum(DECISION_KINDS)
    .optional()
    .transform((kind) => kind ?? 'unattributed')
    .meta({
      description:
        '`unattributed` deposits (without it), `on_hold` since a sender is on the sanctions list, `reorged` after they were ' +
        'final, intents whose settlement is `quarantined`; and deposits that staff `kept` frozen or that are `refunding`.',
    }),
};

/** Query of the queue of decisions. */
export const listDecisionsQuery = queryOf({ ...LIST_QUERY, ...DECISION_FILTERS });
export type ListDecisionsQuery = z.infer<typeof listDecisionsQuery>;

/** Query of the export of the queue. */
export const exportDecisionsQuery = queryOf(DECISION_FILTERS);
export type DecisionFilter = z.infer<typeof exportDecisionsQuery>;
