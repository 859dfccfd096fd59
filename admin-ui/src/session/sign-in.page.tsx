import { getRouteApi, useRouter } from '@tanstack/react-router';
import { queryClient } from '../app/query-client.ts';
import { Centered } from './centered.tsx';
import { type Session, sessionQuery } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';

const route = getRouteApi('/sign-in');

/** The sign-in. It leads to where the reader was going. */
export function SignInPage() {
  const router = useRouter();
  const { next } = route.useSearch();
  const enter = (session: Session): void => {
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, session);
    void router.navigate({ href: next ?? '/', replace: true });
  };
  return (
    <Centered title="Sign in">
      <SignInForm onSignedIn={enter} />
    </Centered>
  );
}
