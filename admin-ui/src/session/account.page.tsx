import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { answerOf, api } from '../api/client.ts';
import { ENVIRONMENT_NAME } from '../app/environment.ts';
import { queryClient } from '../app/query-client.ts';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import { showSuccess } from '../ui/toasts.ts';
import { FormError } from './form-error.tsx';
import { NewPasswordFields, repeatedPassword } from './new-password-fields.tsx';
import { ENVIRONMENTS, sessionQuery, useSession } from './session.ts';
import { useSignOut } from './sign-out.ts';
import { useSubmit } from './use-submit.ts';

/** What a member sees of their own account, and changes in it. */
export function AccountPage() {
  const { staff } = useSession();
  const signOut = useSignOut();
  return (
    <Page
      title="Your account"
      actions={
        <Button variant="default" onClick={() => void signOut()}>
          Sign out
        </Button>
      }
    >
      <Panel title="Who you are">
        <Text>{staff.email}</Text>
        {ENVIRONMENTS.map((environment) => (
          <Text key={environment}>
            {ENVIRONMENT_NAME[environment]}:{' '}
            {staff.roles[environment] === 'none' ? 'no access' : staff.roles[environment]}
          </Text>
        ))}
      </Panel>
      <Panel title="Sign-in codes">
        <Text>
          {staff.totp_enabled
            ? 'Your sign-in asks for a code of your authenticator app.'
            : 'Your sign-in asks for the password alone.'}
        </Text>
        <Link to="/account/codes">{staff.totp_enabled ? 'Use another app' : 'Set up sign-in codes'}</Link>
      </Panel>
      <PasswordPanel />
    </Page>
  );
}

function PasswordPanel() {
  const form = useRef<HTMLFormElement>(null);
  const { isSending, error, onSubmit } = useSubmit(async (fields) => {
    const body = { current_password: fields['current_password'] ?? '', new_password: repeatedPassword(fields) };
    await answerOf(api.POST('/admin/api/session/password', { body }));
    form.current?.reset();
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    showSuccess('Your password is changed', 'All your other sessions have ended.');
  });
  return (
    <Panel title="Password">
      <form onSubmit={onSubmit} ref={form}>
        <Stack gap="md" maw={360}>
          <FormError error={error} />
          <PasswordInput name="current_password" label="Current password" autoComplete="current-password" required />
          <NewPasswordFields />
          <Button type="submit" loading={isSending}>
            Change the password
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
