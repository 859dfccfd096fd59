import { Link, useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { NewRows } from '../../ui/new-rows.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { type CursorSearch, Pager } from '../../ui/pager.tsx';
import type { Column } from '../../ui/table-parts.ts';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { type ReplayJob, ReplayStatus } from './replay-parts.tsx';

/** Replay jobs of the environment, newest first. */
export function ReplayJobsPage() {
  const environment = useEnvironment();
  const { after }: CursorSearch = useSearch({ strict: false });
  const list = useList<ReplayJob>({
    topic: 'replay_jobs',
    queryKey: [environment, 'replay-jobs', after],
    load: ({ signal, headers }) =>
      answerOf(
        api.GET('/admin/api/{environment}/replay-jobs', {
          params: { path: { environment }, query: after === undefined ? {} : { starting_after: after } },
          signal,
          headers,
        }),
      ),
    isFirstPage: after === undefined,
  });
  return (
    <Page title="Replay jobs" summary="Deliveries that staff have sent again, and what came of it.">
      <NewRows list={list} />
      <DataTable
        label="Replay jobs"
        columns={columnsOf(environment)}
        rows={list.rows}
        error={list.error}
        onRetry={list.retry}
        empty={{ title: 'No replay jobs', hint: 'A replay of dead letters appears here.' }}
      />
      <Pager nextCursor={list.nextCursor} />
    </Page>
  );
}

function columnsOf(environment: string): Column<ReplayJob>[] {
  return [
    {
      key: 'what',
      header: 'What',
      cell: (job) => (
        <Link to={'/$environment/replay-jobs/$id'} params={{ environment, id: job.id }}>
          <ForeignText value={job.title} />
        </Link>
      ),
    },
    { key: 'status', header: 'Status', cell: (job) => <ReplayStatus job={job} /> },
    { key: 'sent', header: 'Sent', align: 'right', cell: (job) => wholeText(job.sent) },
    { key: 'delivered', header: 'Delivered', align: 'right', cell: (job) => wholeText(job.delivered) },
    { key: 'failed', header: 'Failed again', align: 'right', cell: (job) => wholeText(job.failed_again) },
    { key: 'by', header: 'By', cell: (job) => <ForeignText value={job.requested_by} max={60} isWord />, isMinor: true },
    { key: 'created', header: 'Begun', cell: (job) => <Time at={job.created_at} /> },
  ];
}
