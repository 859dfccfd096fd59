import { Alert, Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { may, useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Copy } from '../../ui/copy.tsx';
import { showFailure, showSuccess } from '../../ui/toasts.ts';
import { useDialog } from '../../ui/use-dialog.ts';
import { SwitchDialog } from './switch-dialog.tsx';
import { TestResult, useEndpointTest } from './send-test.tsx';

type Detail = components['schemas']['EndpointDetail'];

const OVERLAPS = [
  { value: '86400', label: '24 hours' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: '0 hours: stop now' },
];

/** What can be done to an endpoint: test, enable or disable, rotate its secret. */
export function EndpointActions({ endpoint }: { readonly endpoint: Detail }) {
  const environment = useEnvironment();
  const session = useSession();
  const client = useQueryClient();
  const rotate = useDialog('rotate');
  const test = useEndpointTest(endpoint.id);
  const [secret, setSecret] = useState<string | null>(null);
  const params = { path: { environment, id: endpoint.id } };
  const reload = () => client.invalidateQueries({ queryKey: [environment, 'endpoints'] });
  const verb = endpoint.enabled ? 'disable' : 'enable';
  const change = useDialog(verb);
  const mayTest = may(session, environment, 'endpoints.test');
  const mayRotate = may(session, environment, 'endpoints.rotate');
  const endOverlap = async (): Promise<void> => {
    try {
      await answerOf(api.POST('/admin/api/{environment}/endpoints/{id}/end-overlap', { params }));
      await reload();
      showSuccess('The old secret no longer signs');
    } catch (error) {
      showFailure('The old secret still signs', error);
    }
  };
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {mayTest && (
          <Button
            size="xs"
            variant="default"
            disabled={!endpoint.enabled}
            loading={test.isSending}
            onClick={() => void test.send()}
          >
            Send test
          </Button>
        )}
        {may(session, environment, `endpoints.${verb}`) && (
          <Button size="xs" variant="default" onClick={change.open}>
            {endpoint.enabled ? 'Disable' : 'Enable'}
          </Button>
        )}
        {mayRotate && (
          <Button size="xs" variant="default" onClick={rotate.open}>
            Rotate secret
          </Button>
        )}
        {endpoint.previous_secret_expires_at !== null && mayRotate && (
          <Button size="xs" variant="default" onClick={() => void endOverlap()}>
            End the overlap
          </Button>
        )}
      </Group>
      {mayTest && !endpoint.enabled && <Text size="sm">Enable the endpoint to send a test.</Text>}
      <TestResult eventId={test.eventId} endpointId={endpoint.id} />
      <SwitchDialog verb="enable" endpointId={endpoint.id} />
      <SwitchDialog verb="disable" endpointId={endpoint.id} />
      <ConfirmDialog
        isOpen={mayRotate && rotate.isOpen}
        title="Rotate the signing secret"
        confirmLabel="Rotate"
        onClose={rotate.close}
        onConfirm={async ({ reason = '', overlap = '0' }) => {
          const body = { reason, overlap_seconds: Number(overlap) };
          const rotated = await answerOf(
            api.POST('/admin/api/{environment}/endpoints/{id}/rotate-secret', { params, body }),
          );
          setSecret(rotated.secret);
          rotate.close();
          await reload();
        }}
      >
        <Text>The new secret signs at once. While both sign, each request has two signatures, the new one first.</Text>
        <NativeSelect name="overlap" label="Keep signing with the old secret for" data={OVERLAPS} />
        <TextInput name="reason" label="Reason, for the audit log" required maxLength={500} data-autofocus />
      </ConfirmDialog>
      <Modal
        opened={secret !== null}
        onClose={() => setSecret(null)}
        title="The new secret"
        closeOnClickOutside={false}
      >
        <Stack gap="md">
          <Alert color="yellow" variant="light">
            This secret is shown only once. Send it to the merchant over a secure channel.
          </Alert>
          {secret !== null && <Copy value={secret} label="secret" />}
          <Button onClick={() => setSecret(null)}>Done</Button>
        </Stack>
      </Modal>
    </Stack>
  );
}
