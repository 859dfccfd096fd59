import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { wholeText } from '../../ui/numbers.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

/** What the last audit of the books says about the hash chain over the log. */
export function SealState() {
  const environment = useEnvironment();
  const live = useLive('books');
  const { data } = useQuery({
    queryKey: [environment, 'audit-seal'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/audit-seal', {
          params: { path: { environment } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (data === undefined) return 'Staff and the service cannot change or delete entries.';
  if (data.checked_at === null) return 'The hash chain was not checked yet. A worker checks it every minute.';
  if (data.holds === true) {
    return (
      <>
        <StatusBadge word="Hash chain intact" tone="good" /> {wholeText(data.sealed_entries)} entries, checked{' '}
        <Time at={data.checked_at} />.
      </>
    );
  }
  return (
    <Alert
      color="red"
      variant="light"
      title="The hash chain is broken: somebody changed the log outside of the service"
    >
      {data.findings.map((finding) => (
        <Text key={finding} size="sm">
          {finding}
        </Text>
      ))}
    </Alert>
  );
}
