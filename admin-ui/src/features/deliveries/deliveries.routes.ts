import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { asEnvironment } from '../../app/environment.ts';
import { shellRoute } from '../../app/layout-routes.tsx';
import { queryClient } from '../../app/query-client.ts';
import { PAGES } from '../../app/route-table.ts';
import { deadLettersQuery } from './dead-letters-query.ts';
import { deliverySearch } from './delivery-search.ts';

/** Pages about deliveries and sending them again. */
export const deliveryRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.deadLetters.path,
    // The landing page: its data is on its way while its code loads.
    loader: ({ params }) => {
      const environment = asEnvironment(params.environment);
      if (environment !== null) void queryClient.prefetchQuery(deadLettersQuery(environment));
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
