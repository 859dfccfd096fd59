import { oneOf, searchOf, text, time } from '../../ui/search-params.ts';

export const PLACES = ['environment', 'outside'] as const;

/** The filters of the audit log, as the service takes them. */
export interface AuditFilters {
  readonly place: (typeof PLACES)[number];
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly created_gte: string;
  readonly created_lt: string;
}

/** The search parameters of the list. */
export interface AuditSearch extends AuditFilters {
  readonly after: string;
}

export const auditSearch = searchOf<AuditSearch>({
  place: oneOf(PLACES),
  actor: text,
  action: text,
  subject: text,
  created_gte: time,
  created_lt: time,
  after: text,
});
