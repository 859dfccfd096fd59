import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../api/api-error.ts';
import { answerOf, api } from '../api/client.ts';
import { queryClient } from '../app/query-client.ts';
import { Copy } from '../ui/copy.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { FormError } from './form-error.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { sessionQuery, useSession } from './session.ts';
import { useSubmit } from './use-submit.ts';

interface Secret {
  readonly secret: string;
  readonly otpauth_uri: string;
}

/** Sets up the codes of an authenticator app. They begin to count once the app has shown the right one. */
export function CodesPage() {
  const { staff } = useSession();
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null);
  const setUp = useMutation({ mutationFn: () => answerOf(api.POST('/admin/api/session/totp')) });
  if (recoveryCodes !== null) return <RecoveryCodes codes={recoveryCodes} />;
  return (
    <Page
      title="Sign-in codes"
      summary={staff.totp_required ? 'This service works with real money, so every account needs them.' : undefined}
    >
      {setUp.isError && <ErrorState error={asApiError(setUp.error)} />}
      {setUp.data === undefined ? (
        <Panel title="Set up your authenticator app">
          <Text>
            Any app for one-time codes will do.{' '}
            {staff.totp_enabled && 'The codes of the app that you use now stop working.'}
          </Text>
          <div>
            <Button loading={setUp.isPending} onClick={() => setUp.mutate()}>
              Show the QR code
            </Button>
          </div>
        </Panel>
      ) : (
        <ConfirmPanel secret={setUp.data} onConfirmed={setRecoveryCodes} />
      )}
      {!staff.totp_required && <Link to="/account">Back to your account</Link>}
    </Page>
  );
}

interface ConfirmPanelProps {
  readonly secret: Secret;
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
}

function ConfirmPanel({ secret, onConfirmed }: ConfirmPanelProps) {
  const { isSending, error, onSubmit } = useSubmit(async ({ code = '' }) => {
    const { recovery_codes } = await answerOf(api.POST('/admin/api/session/totp/confirm', { body: { code } }));
    onConfirmed(recovery_codes);
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  });
  return (
    <Panel title="Scan the QR code, then enter the code that the app shows">
      <QrCode value={secret.otpauth_uri} label="QR code for your authenticator app" />
      <Text>
        If you cannot scan it, enter this key: <Copy value={secret.secret} label="the key" />
      </Text>
      <form onSubmit={onSubmit}>
        <Stack gap="md" maw={320}>
          <FormError error={error} />
          <TextInput
            name="code"
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            required
            autoFocus
          />
          <Button type="submit" loading={isSending}>
            Confirm
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
