import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { answerOf, api } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Session = components['schemas']['Session'];
export type Environment = Session['environments'][number];

export const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'live'];

/** The session of this browser; null without a session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      return await answerOf(api.GET('/admin/api/session'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The session of a page that only signed-in staff reach. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new ApiError(401, 'unauthorized', 'Sign in to the console.', null);
  return data;
}

/** Whether the member may do something in an environment. The service checks it again; this only hides buttons. */
export function may(session: Session, environment: Environment, permission: string): boolean {
  return session.permissions[environment].includes(permission as never);
}
