import '@mantine/core/styles/Progress.layer.css';
import { Alert, Button, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { showFailure } from '../../ui/toasts.ts';
import { ReplayStatus } from './replay-parts.tsx';

type Job = components['schemas']['ReplayJobDetail'];
type Target = Job['targets'][number];
type Move = 'pause' | 'resume' | 'stop';

/** One replay job: how far it has come, and what came of it. */
export function ReplayJobPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('replay_jobs', 'deliveries');
  const job = useQuery({
    queryKey: [environment, 'replay-jobs', id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/replay-jobs/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (job.data !== undefined) return <JobView job={job.data} />;
  return (
    <Page title="Replay job">
      {job.error === null ? (
        <Loading />
      ) : (
        <ErrorState error={asApiError(job.error)} onRetry={() => void job.refetch()} />
      )}
    </Page>
  );
}

function JobView({ job }: { readonly job: Job }) {
  const environment = useEnvironment();
  const ended = job.delivered + job.failed_again;
  const percent = job.sent === 0 ? (job.status === 'done' ? 100 : 0) : Math.floor((ended / job.sent) * 100);
  const isFeeding = job.targets.some((target) => target.status === 'open');
  return (
    <Page title={`Replay job ${job.id}`} heading={<ForeignText value={job.title} />} actions={<Moves job={job} />}>
      <Panel title="Progress" actions={<ReplayStatus job={job} />}>
        <Progress value={percent} aria-label={`${percent} % of what was sent has ended`} size="lg" />
        <Text role="status">
          {wholeText(job.sent)} sent{isFeeding && ' so far'}: {wholeText(job.delivered)} delivered,{' '}
          {wholeText(job.failed_again)} failed again, {wholeText(job.waiting)} waiting.
        </Text>
        {job.status === 'running' && isFeeding && job.waiting >= 20 && job.delivered === 0 && (
          <Alert color="yellow" variant="light">
            The receiver has not taken one yet. The job sends no more than 20 at a time, and goes on when one is
            delivered.
          </Alert>
        )}
        <Facts
          facts={[
            { label: 'Requested by', value: <ForeignText value={job.requested_by} /> },
            { label: 'Reason', value: job.reason === null ? null : <ForeignText value={job.reason} /> },
            { label: 'Begun', value: <Time at={job.created_at} /> },
            { label: 'Ended', value: job.finished_at === null ? null : <Time at={job.finished_at} /> },
            { label: 'Skipped', value: `${wholeText(job.skipped)} (already on their way)` },
          ]}
        />
      </Panel>
      <Panel title="Endpoints">
        <DataTable
          label="Endpoints of this job"
          columns={columnsOf(environment)}
          rows={job.targets.map((target) => ({ ...target, id: target.endpoint_id }))}
          empty={{ title: 'Nothing was sent', hint: 'No enabled endpoint has a delivery that matches.' }}
        />
      </Panel>
    </Page>
  );
}

const TARGET: Readonly<Record<Target['status'], string>> = {
  open: 'Sending',
  done: 'All sent',
  disabled: 'Ended: the endpoint was disabled',
  deleted: 'Ended: the endpoint was deleted',
};

function columnsOf(environment: string) {
  return [
    {
      key: 'endpoint',
      header: 'Endpoint',
      cell: (target: Target) => (
        <Link to={'/$environment/endpoints/$id'} params={{ environment, id: target.endpoint_id }}>
          <ForeignText value={target.endpoint_url} max={70} />
        </Link>
      ),
    },
    { key: 'status', header: 'Status', cell: (target: Target) => TARGET[target.status] },
    { key: 'sent', header: 'Sent', align: 'right', cell: (target: Target) => target.sent },
    { key: 'delivered', header: 'Delivered', align: 'right', cell: (target: Target) => target.delivered },
    { key: 'failed', header: 'Failed again', align: 'right', cell: (target: Target) => target.failed_again },
    { key: 'waiting', header: 'Waiting', align: 'right', cell: (target: Target) => target.waiting },
  ] as const;
}

/** Pause, resume and stop. A refusal says what another member has done. */
function Moves({ job }: { readonly job: Job }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const session = useSession();
  const [isMoving, setMoving] = useState(false);
  if (!may(session, environment, 'deliveries.replay')) return null;
  const move = async (to: Move): Promise<void> => {
    setMoving(true);
    try {
      await answerOf(
        api.POST(`/admin/api/{environment}/replay-jobs/{id}/${to}`, { params: { path: { environment, id: job.id } } }),
      );
    } catch (error) {
      showFailure('The job was not changed', error);
    } finally {
      setMoving(false);
      await client.invalidateQueries({ queryKey: [environment, 'replay-jobs', job.id] });
    }
  };
  return (
    <>
      {job.status === 'running' && (
        <Button variant="default" loading={isMoving} onClick={() => void move('pause')}>
          Pause
        </Button>
      )}
      {job.status === 'paused' && (
        <Button loading={isMoving} onClick={() => void move('resume')}>
          Resume
        </Button>
      )}
      {(job.status === 'running' || job.status === 'paused') && (
        <Button variant="default" loading={isMoving} onClick={() => void move('stop')}>
          Stop
        </Button>
      )}
    </>
  );
}
