import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/schema.d.ts';
import { CopyAction } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { wholeText } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { curlOf } from './curl.ts';
import { DeliveryStatus } from './delivery-status.tsx';
import styles from './attempts.module.css';

type Detail = components['schemas']['DeliveryDetail'];
type Attempt = Detail['all_series'][number]['attempts'][number];

interface AttemptsProps {
  readonly delivery: Detail;
  readonly environment: string;
}

/** Every series of attempts, the newest first. */
export function Attempts({ delivery, environment }: AttemptsProps) {
  return delivery.all_series.map((one) => (
    <Panel
      key={one.delivery_id}
      title={`Series ${one.number}`}
      actions={<DeliveryStatus status={one.status} attempts={one.attempt_count} />}
    >
      {one.requested_by !== null && one.replay_job_id !== null && (
        <Text size="sm">
          Sent again by <ForeignText value={one.requested_by} />, <Time at={one.created_at} />, in{' '}
          <Link to={'/$environment/replay-jobs/$id'} params={{ environment, id: one.replay_job_id }}>
            this replay job
          </Link>
          .
        </Text>
      )}
      {one.attempt_count === 0 && <Text size="sm">No attempt yet.</Text>}
      {one.attempts.length < one.attempt_count && (
        <Text size="sm">
          {one.attempt_count - one.attempts.length} of {one.attempt_count} attempts are no longer kept.
        </Text>
      )}
      <ol className={styles['attempts']}>
        {one.attempts.toReversed().map((attempt) => (
          <li key={attempt.number}>
            <AttemptView attempt={attempt} delivery={delivery} />
          </li>
        ))}
      </ol>
    </Panel>
  ));
}

/** An attempt as a command of curl: the body and the headers are those of every attempt, the time is its own. */
function CopyCurl({ attempt, delivery }: { readonly attempt: Attempt; readonly delivery: Detail }) {
  const { endpoint_url: url, request_headers: headers, body } = delivery;
  if (body === null || attempt.request_headers.length === 0) return null;
  return (
    <CopyAction
      label="Copy as curl"
      value={curlOf({ url, headers, signedAt: attempt.signed_at, body })}
      hint="With the current URL of the endpoint and without the signature."
    />
  );
}

function AttemptView({ attempt, delivery }: { readonly attempt: Attempt; readonly delivery: Detail }) {
  const { response_status: status, cause } = attempt;
  const word = status === null ? (cause ?? 'No answer') : `Answered ${status}`;
  const headers = Object.entries(attempt.response_headers ?? {});
  return (
    <details className={styles['attempt']}>
      <summary>
        <span>Attempt {attempt.number}</span>
        <StatusBadge word={word} tone={cause === null ? 'good' : 'bad'} />
        <span>
          <Time at={attempt.started_at} />, {wholeText(attempt.duration_ms)} ms
        </span>
      </summary>
      <Stack gap="xs">
        <Facts
          facts={[
            {
              label: 'Fault',
              value: attempt.fault_message === null ? null : <ForeignText value={attempt.fault_message} />,
            },
            { label: 'Signed at (t)', value: String(attempt.signed_at) },
            { label: 'Headers sent', value: attempt.request_headers.join(', ') || 'Nothing was sent.' },
          ]}
        />
        <CopyCurl attempt={attempt} delivery={delivery} />
        {attempt.answer_pruned && <Text size="sm">The headers and the body of this answer are no longer kept.</Text>}
        {headers.length > 0 && (
          <pre
            className={styles['answer']}
            tabIndex={0}
            role="region"
            aria-label={`Headers of answer ${attempt.number}`}
          >
            <ForeignText value={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} max={2_000} isCode />
          </pre>
        )}
        {attempt.response_body !== null && attempt.response_body !== '' && (
          <pre className={styles['answer']} tabIndex={0} role="region" aria-label={`Body of answer ${attempt.number}`}>
            <ForeignText value={attempt.response_body} max={2_000} isCode />
          </pre>
        )}
      </Stack>
    </details>
  );
}
