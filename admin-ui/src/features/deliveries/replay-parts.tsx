import type { components } from '../../api/schema.d.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';

export type ReplayJob = components['schemas']['ReplayJob'];

const STATUS: Readonly<Record<ReplayJob['status'], readonly [word: string, tone: Tone]>> = {
  running: ['Running', 'busy'],
  paused: ['Paused', 'paused'],
  stopped: ['Stopped', 'neutral'],
  done: ['Done', 'good'],
};

const VERB: Readonly<Record<ReplayJob['verb'], string>> = {
  resend: 'Resend',
  recover: 'Recover',
  send_missing: 'Send missing events',
};

export const verbText = ({ verb }: Pick<ReplayJob, 'verb'>): string => VERB[verb];

/** The status of a job. One that is done although some failed again is no success. */
export function ReplayStatus({ job }: { readonly job: Pick<ReplayJob, 'status' | 'failed_again'> }) {
  const [word, tone] = STATUS[job.status];
  return job.status === 'done' && job.failed_again > 0 ? (
    <StatusBadge word="Done, some failed again" tone="warning" />
  ) : (
    <StatusBadge word={word} tone={tone} />
  );
}

const FIELDS: Readonly<Record<string, string>> = { created_gte: 'since', created_lt: 'before' };
const fieldText = (name: string): string => FIELDS[name] ?? name.replaceAll('_', ' ');

/** The filter in words: `endpoint we_…, dead_letter, 4xx`. */
export function filterText({ filter }: Pick<ReplayJob, 'filter'>): string {
  const ids = filter['delivery_ids'];
  if (Array.isArray(ids)) return ids.length === 1 ? 'one delivery' : `${ids.length} selected deliveries`;
  const parts = Object.entries(filter).map(([name, value]) => `${fieldText(name)} ${String(value)}`);
  return parts.length === 0 ? 'everything' : parts.join(', ');
}
