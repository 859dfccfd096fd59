import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { groupsOf, keyOf } from './timeline-groups.ts';
import { TimelineGroup } from './timeline-item.tsx';
import styles from './timeline-panel.module.css';

type Timeline = components['schemas']['Timeline'];

interface TimelineProps {
  readonly intentId: string;
  readonly status: string;
}

/** Everything that is kept about an intent, in the order in which it happened. */
export function TimelinePanel({ intentId, status }: TimelineProps) {
  const environment = useEnvironment();
  const live = useLive('intents', 'deliveries', 'notes', 'replay_jobs', 'requests');
  const timeline = useQuery({
    // A change of status is in the timeline at once, not when its other topics change.
    queryKey: ['intent', environment, intentId, 'timeline', status],
    placeholderData: (earlier: Timeline | undefined, query) => (query?.queryKey[2] === intentId ? earlier : undefined),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/intents/{id}/timeline', {
          params: { path: { environment, id: intentId } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  return (
    <Panel title="Timeline">
      {timeline.data === undefined && timeline.error === null && <Loading />}
      {timeline.data === undefined && timeline.error !== null && (
        <ErrorState error={asApiError(timeline.error)} onRetry={() => void timeline.refetch()} />
      )}
      {timeline.data !== undefined && (
        <ol className={styles['list']}>
          {groupsOf(timeline.data.items).map((items, place) => (
            <TimelineGroup key={keyOf(items, place)} items={items} />
          ))}
        </ol>
      )}
    </Panel>
  );
}
