import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { auditRoutes } from '../features/audit/audit.routes.ts';
import { deliveryRoutes } from '../features/deliveries/deliveries.routes.ts';
import { depositRoutes } from '../features/deposits/deposits.routes.ts';
import { endpointRoutes } from '../features/endpoints/endpoints.routes.ts';
import { Loading } from '../ui/loading.tsx';
import { inboxRoutes } from '../features/inbox/inbox.routes.ts';
import { intentRoutes } from '../features/intents/intents.routes.ts';
import { operationRoutes } from '../features/operations/operations.routes.ts';
import { merchantRoutes } from '../features/merchants/merchants.routes.ts';
import { pocketRoutes } from '../features/pockets/pockets.routes.ts';
import { requestRoutes } from '../features/requests/requests.routes.ts';
import { searchRoutes } from '../features/search/search.routes.ts';
import { teamRoutes } from '../features/team/team.routes.ts';
import { withdrawalRoutes } from '../features/withdrawals/withdrawals.routes.ts';
import { accountRoutes, sessionRoutes } from '../session/session.routes.ts';
import { rootRoute, shellRoute } from './layout-routes.tsx';
import { NotFound, PageFailed } from './page-states.tsx';

const routeTree = rootRoute.addChildren([
  ...sessionRoutes,
  shellRoute.addChildren([
    ...deliveryRoutes,
    ...endpointRoutes,
    ...inboxRoutes,
    ...searchRoutes,
    ...intentRoutes,
    ...depositRoutes,
    ...pocketRoutes,
    ...withdrawalRoutes,
    ...requestRoutes,
    ...operationRoutes,
    ...merchantRoutes,
    ...teamRoutes,
    ...auditRoutes,
    ...accountRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/admin',
  // Every value in an address is text, as a person would write it: no quotes, no JSON.
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(String),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: Loading,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
