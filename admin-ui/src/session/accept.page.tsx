import { Alert, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { asApiError } from '../api/api-error.ts';
import { answerOf, api } from '../api/client.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Loading } from '../ui/loading.tsx';
import { showSuccess } from '../ui/toasts.ts';
import { Centered } from './centered.tsx';
import { FormError } from './form-error.tsx';
import { NewPasswordFields, repeatedPassword } from './new-password-fields.tsx';
import { useSubmit } from './use-submit.ts';

/** Reads the token after `#`, which no server and no log sees, and takes it out of the address and the history. */
function takeToken(): string {
  const token = window.location.hash.slice(1);
  window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/** A new member chooses a password. The link works once. */
export function AcceptPage() {
  const [token] = useState(takeToken);
  const invitation = useQuery({
    queryKey: ['invitation'],
    queryFn: () => answerOf(api.POST('/admin/api/invitations/read', { body: { token } })),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === '') return <Incomplete />;
  return (
    <Centered title="Accept the invitation">
      {invitation.isPending && <Loading />}
      {invitation.isError && (
        <>
          <ErrorState error={asApiError(invitation.error)} onRetry={() => void invitation.refetch()} />
          <ToSignIn />
        </>
      )}
      {invitation.isSuccess && <AcceptForm token={token} email={invitation.data.email} />}
    </Centered>
  );
}

function Incomplete() {
  return (
    <Centered title="Accept the invitation">
      <Alert color="red" variant="light" title="The link is incomplete">
        The part after # is missing. Open the link again as it was sent.
      </Alert>
      <ToSignIn />
    </Centered>
  );
}

/** The way on for members who have an account already. */
const ToSignIn = () => <Link to="/sign-in">Go to the sign-in page</Link>;

function AcceptForm({ token, email }: { readonly token: string; readonly email: string }) {
  const router = useRouter();
  const { isSending, error, onSubmit } = useSubmit(async (fields) => {
    const password = repeatedPassword(fields);
    await answerOf(api.POST('/admin/api/invitations/accept', { body: { token, password } }));
    showSuccess('Welcome', 'Your account is ready. Sign in with your password.');
    await router.navigate({ to: '/sign-in', replace: true });
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <Text>
          You join as <b>{email}</b>. Choose a password.
        </Text>
        <FormError error={error} />
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <NewPasswordFields />
        <Button type="submit" loading={isSending}>
          Join
        </Button>
      </Stack>
    </form>
  );
}
