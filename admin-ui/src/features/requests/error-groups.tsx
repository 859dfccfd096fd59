import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { Call } from './call.tsx';
import styles from './requests.module.css';
import { codeText, type ErrorGroup } from './requests-search.ts';

/** The groups that are shown before the reader asks for all. */
const SHOWN_AT_FIRST = 5;

/** The errors of the last 24 hours, one row for each code and route. */
export function ErrorGroups() {
  const environment = useEnvironment();
  const live = useLive('requests');
  const [isWhole, setWhole] = useState(false);
  const groups = useQuery({
    queryKey: [environment, 'requests', 'errors'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/requests/errors', {
          params: { path: { environment } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  const all = groups.data?.data;
  const isCut = !isWhole && all !== undefined && all.length > SHOWN_AT_FIRST;
  return (
    <Panel title="Errors of the last 24 hours">
      <DataTable
        label="Errors by code and route"
        columns={columnsOf(environment)}
        rows={isCut ? all.slice(0, SHOWN_AT_FIRST) : all}
        error={groups.error === null ? null : asApiError(groups.error)}
        onRetry={() => void groups.refetch()}
        empty={{
          title: 'No errors in the last 24 hours',
          hint: 'Wrong keys (401), unknown objects (404) and too many requests (429) are counted in the metrics alone.',
        }}
      />
      {isCut && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setWhole(true)}>
          Show all {all.length} groups
        </Button>
      )}
    </Panel>
  );
}

function columnsOf(environment: string): Column<ErrorGroup>[] {
  return [
    {
      key: 'code',
      header: 'Error',
      cell: ({ error_code: code }) => <span className={styles['whole']}>{codeText(code)}</span>,
    },
    { key: 'call', header: 'Call', cell: (group) => <Call {...group} /> },
    { key: 'count', header: 'Requests', align: 'right', cell: (row) => countText(row.count, row.count_is_more) },
    { key: 'merchants', header: 'Merchants', align: 'right', cell: ({ merchants }) => merchants },
    { key: 'since', header: 'First', cell: ({ since }) => <Time at={since} />, isMinor: true },
    { key: 'latest', header: 'Latest', cell: ({ latest }) => <Time at={latest} /> },
    { key: 'open', header: 'Open', cell: (group) => <OpenGroup environment={environment} group={group} /> },
  ];
}

function OpenGroup({ environment, group }: { readonly environment: string; readonly group: ErrorGroup }) {
  const { error_code: code, method, route } = group;
  const filters = new URLSearchParams({ error_code: code, method, route });
  return (
    <PlaceLink to={`/${environment}/requests?${filters}`} aria-label={`Show ${codeText(code)} of ${method} ${route}`}>
      Show
    </PlaceLink>
  );
}
