import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import { useLive } from '../../live/use-live.ts';
import { may, useSession } from '../../session/session.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SandboxControls } from './sandbox-controls.tsx';
import { SandboxOrders } from './sandbox-orders.tsx';

/** How often an order that is not final yet is looked at: no topic reports what becomes of it. */
const ORDER_POLL_MS = 1_000;
const OPEN = ['queued', 'signed', 'sent'];

/** Lets a tester act as the payer and the chain of an intent. It exists in the sandbox alone. */
export function SandboxPanel({ intentId }: { readonly intentId: string }) {
  const session = useSession();
  const live = useLive('intents');
  const queryKey = ['intent-controls', intentId];
  const found = useQuery({
    queryKey,
    queryFn: ({ signal, client }) =>
      answerOf(
        api.GET('/admin/api/{environment}/intents/{id}/sandbox', {
          params: { path: { environment: 'sandbox', id: intentId } },
          signal,
          headers: client.getQueryData(queryKey) === undefined ? {} : BACKGROUND,
        }),
      ),
    ...live,
    refetchInterval: ({ state }) =>
      state.data?.orders.some(({ status }) => OPEN.includes(status)) === true ? ORDER_POLL_MS : live.refetchInterval(),
  });
  return (
    <Panel title="Sandbox">
      {found.isPending && <Loading />}
      {found.data === undefined && found.error !== null && (
        <ErrorState error={asApiError(found.error)} onRetry={() => void found.refetch()} />
      )}
      {found.data !== undefined && (
        <Stack gap="md">
          <Text size="sm">
            Play the payer and the chain of this intent. Nothing here is real money, and none of it exists in live.
          </Text>
          {may(session, 'sandbox', 'sandbox.act') && <SandboxControls state={found.data} />}
          <SandboxOrders orders={found.data.orders} />
        </Stack>
      )}
    </Panel>
  );
}
