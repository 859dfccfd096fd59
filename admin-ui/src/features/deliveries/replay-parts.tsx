import type { components } from '../../api/schema.d.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

export type ReplayJob = components['schemas']['ReplayJob'];

const STATUS: Readonly<Record<ReplayJob['status'], readonly [word: string, tone: Tone]>> = {
  running: ['Running', 'busy'],
  paused: ['Paused', 'paused'],
  stopped: ['Stopped', 'neutral'],
  done: ['Done', 'good'],
};

/** The status of a job. One that is done although some failed again is no success. */
export function ReplayStatus({ job }: { readonly job: Pick<ReplayJob, 'status' | 'failed_again'> }) {
  const [word, tone] = STATUS[job.status];
  return job.status === 'done' && job.failed_again > 0 ? (
    <StatusBadge word="Done, some failed again" tone="warning" />
  ) : (
    <StatusBadge word={word} tone={tone} />
  );
}
