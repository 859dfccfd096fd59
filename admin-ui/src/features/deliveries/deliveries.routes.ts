import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { asEnvironment } from '../../app/environment.ts';
import { shellRoute } from '../../app/layout-routes.tsx';
import { queryClient } from '../../app/query-client.ts';
import { PAGES } from '../../app/route-table.ts';
import { deadLettersQuery } from './dead-letters-query.ts';
import { deliverySearch } from './delivery-search.ts';

const PLACEHOLDERS_AFTER_MS = 300;

/** Pages about deliveries and sending them again. */
export const deliveryRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.deadLetters.path,
    // The landing page is drawn once, with its data, unless that takes long: placeholders cost a slow processor as much again.
    loader: async ({ params }) => {
      const environment = asEnvironment(params.environment);
      if (environment === null) return;
      // The page itself reports a failure.
      const data = queryClient.ensureQueryData(deadLettersQuery(environment)).catch(() => undefined);
      await Promise.race([data, new Promise((resolve) => setTimeout(resolve, PLACEHOLDERS_AFTER_MS))]);
    },
    component: lazyRouteComponent(() => import('./dead-letters.page.tsx'), 'DeadLettersPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.deliveries.path,
    validateSearch: deliverySearch,
    component: lazyRouteComponent(() => import('./deliveries.page.tsx'), 'DeliveriesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.delivery.path,
    component: lazyRouteComponent(() => import('./delivery.page.tsx'), 'DeliveryPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.replayJobs.path,
    component: lazyRouteComponent(() => import('./replay-jobs.page.tsx'), 'ReplayJobsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.replayJob.path,
    component: lazyRouteComponent(() => import('./replay-job.page.tsx'), 'ReplayJobPage'),
  }),
] as const;
