import { useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Filters, PeriodFilter, SelectFilter, TextFilter, hasFilters, useSetFilters } from '../../ui/filters.tsx';
import { NewRows } from '../../ui/new-rows.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { useList } from '../../ui/use-list.ts';
import { AUDIT_COLUMNS } from './audit-columns.tsx';
import { type AuditFilters, type AuditSearch, PLACES } from './audit-search.ts';
import { SealState } from './seal-state.tsx';

type Entry = components['schemas']['AuditEntry'];

const PLACE = { environment: 'In this environment', outside: 'Commands and sign-ins' } as const;

/** What staff and operators did. */
export function AuditPage() {
  const environment = useEnvironment();
  const { after, ...filters }: Partial<AuditSearch> = useSearch({ strict: false });
  const list = useList<Entry>({
    topic: 'audit',
    queryKey: [environment, 'audit', filters, after],
    isFirstPage: after === undefined,
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/audit', {
          params: {
            path: { environment },
            query: { ...filters, ...(after !== undefined && { starting_after: after }) },
          },
          signal,
          headers,
        }),
      ),
  });
  return (
    <Page
      title="Audit log"
      summary={<SealState />}
      actions={<CsvLink path={`/admin/api/${environment}/audit.csv`} filters={filters} />}
    >
      <AuditFilterBar filters={filters} />
      <NewRows list={list} />
      <DataTable
        label="Audit log"
        columns={AUDIT_COLUMNS}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{
          title: 'No entries',
          hint: hasFilters(filters)
            ? 'No entry fits these filters. Filters are compared exactly.'
            : 'Every action of staff has an entry here.',
        }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

function AuditFilterBar({ filters }: { readonly filters: Partial<AuditFilters> }) {
  const set = useSetFilters<Partial<Record<keyof AuditFilters, string | undefined>>>();
  const clear = (): void => set(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  return (
    <Filters label="Filters of the audit log" onClear={hasFilters(filters) ? clear : undefined}>
      <SelectFilter
        label="Where"
        value={filters.place}
        options={PLACES.map((value) => ({ value, label: PLACE[value] }))}
        onChange={(place) => set({ place })}
      />
      <TextFilter
        label="Who"
        value={filters.actor}
        placeholder="kim@example.com"
        onChange={(actor) => set({ actor })}
      />
      <TextFilter
        label="Action"
        value={filters.action}
        placeholder="endpoint.disable"
        onChange={(action) => set({ action })}
      />
      <TextFilter label="Object" value={filters.subject} placeholder="we_…" onChange={(subject) => set({ subject })} />
      <PeriodFilter value={filters} onChange={set} />
    </Filters>
  );
}
