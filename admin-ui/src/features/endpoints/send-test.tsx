import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { showFailure } from '../../ui/toasts.ts';

type Delivery = components['schemas']['Delivery'];

const POLL_MS = 1_000;
const POLL_AFTER_FAULT_MS = 5_000;

/** Sends tests to an endpoint. `eventId` is that of the last one. */
export function useEndpointTest(endpointId: string): {
  readonly eventId: string | null;
  readonly isSending: boolean;
  readonly send: () => Promise<void>;
} {
  const environment = useEnvironment();
  const [eventId, setEventId] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    setSending(true);
    try {
      const params = { path: { environment, id: endpointId } };
      const sent = await answerOf(api.POST('/admin/api/{environment}/endpoints/{id}/test', { params }));
      setEventId(sent.event_id);
    } catch (error) {
      showFailure('No test was sent', error);
    } finally {
      setSending(false);
    }
  };
  return { eventId, isSending, send };
}

interface SendTestProps {
  readonly endpointId: string;
  /** Named beside the button where there is more than one endpoint. */
  readonly url?: string;
}

/** A button that sends a test event to an endpoint, and what its receiver answers. */
export function SendTest({ endpointId, url }: SendTestProps) {
  const { eventId, isSending, send } = useEndpointTest(endpointId);
  return (
    // Without a result the button is the whole: it stands on the line of what is beside it.
    <Stack gap={eventId === null ? 0 : 4}>
      <Group gap="xs">
        <Button size="xs" variant="default" loading={isSending} onClick={() => void send()}>
          Send test
        </Button>
        {url !== undefined && <ForeignText value={url} max={60} />}
      </Group>
      <TestResult eventId={eventId} endpointId={endpointId} />
    </Stack>
  );
}

interface TestResultProps {
  /** Null before a test was sent. */
  readonly eventId: string | null;
  readonly endpointId: string;
}

/** What the receiver has answered to a test. */
export function TestResult({ eventId, endpointId }: TestResultProps) {
  return <div role="status">{eventId !== null && <TestDelivery eventId={eventId} endpointId={endpointId} />}</div>;
}

/** The delivery of a test, which is looked at until its receiver has answered once. */
function TestDelivery({ eventId, endpointId }: { readonly eventId: string; readonly endpointId: string }) {
  const environment = useEnvironment();
  const found = useQuery({
    queryKey: [environment, 'deliveries', 'test', eventId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/deliveries', {
          params: { path: { environment }, query: { event_id: eventId, endpoint_id: endpointId } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    refetchInterval: ({ state: { data, error } }) => {
      if (isEnded(data?.data[0])) return false;
      return error === null ? POLL_MS : POLL_AFTER_FAULT_MS;
    },
    gcTime: 0,
  });
  const delivery = found.data?.data[0];
  return (
    <Group gap="xs">
      <StatusBadge {...resultOf(delivery, found.error !== null)} />
      <Text size="sm" component="span">
        {delivery?.last_cause}
      </Text>
      {delivery !== undefined && (
        <Link to={'/$environment/deliveries/$id'} params={{ environment, id: delivery.id }}>
          Open the delivery
        </Link>
      )}
    </Group>
  );
}

/** Whether the receiver has answered once, or will not be asked: the attempts that follow are not waited for. */
const isEnded = (delivery: Delivery | undefined): boolean =>
  delivery !== undefined && (delivery.attempt_count > 0 || delivery.status !== 'pending');

/** What has become of a test, in words. */
function resultOf(delivery: Delivery | undefined, isUnknown: boolean): ComponentProps<typeof StatusBadge> {
  if (!isEnded(delivery) && isUnknown) return { word: 'The result could not be loaded', tone: 'bad' };
  if (delivery?.status === 'delivered') {
    return { word: `The receiver took the test: ${delivery.last_response_status}`, tone: 'good' };
  }
  if (delivery?.status === 'held') return { word: 'The endpoint is disabled: the test waits', tone: 'paused' };
  if (delivery?.status === 'cancelled') return { word: 'The test was cancelled', tone: 'neutral' };
  if (isEnded(delivery)) return { word: 'The receiver did not take the test', tone: 'bad' };
  return { word: 'The test is on its way', tone: 'busy' };
}
