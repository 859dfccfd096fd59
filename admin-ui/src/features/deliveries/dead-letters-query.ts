import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { Environment } from '../../session/session.ts';

/** Groups of the landing page before the reader asks for all. */
export const SHOWN_AT_FIRST = 25;
/** The most that the service gives. */
export const SHOWN_MAX = 500;

/** The largest groups of dead letters, by endpoint and cause. */
export const deadLettersQuery = (environment: Environment, limit = SHOWN_AT_FIRST) =>
  queryOptions({
    queryKey: [environment, 'dead-letters', limit],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/dead-letters', {
          params: { path: { environment }, query: { limit } },
          signal,
          headers: BACKGROUND,
        }),
      ),
  });
