import { useRouter } from '@tanstack/react-router';
import { answerOf, api } from '../api/client.ts';
import { queryClient } from '../app/query-client.ts';
import { showFailure } from '../ui/toasts.ts';

/** Ends the session, and forgets what it has loaded. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    try {
      await answerOf(api.DELETE('/admin/api/session'));
    } catch (error) {
      showFailure('You are still signed in', error);
      return;
    }
    try {
      await router.navigate({ to: '/sign-in' });
    } finally {
      // The page that is left needs the session until it has gone: it may be rendered while the next one is loaded.
      queryClient.clear();
    }
  };
}
