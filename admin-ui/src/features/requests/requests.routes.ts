import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { requestsSearch } from './requests-search.ts';

export const requestRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.requests.path,
    validateSearch: requestsSearch,
    component: lazyRouteComponent(() => import('./requests.page.tsx'), 'RequestsPage'),
  }),
] as const;
