import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { endpointSearch } from './endpoint-search.ts';

/** Pages about webhook endpoints. */
export const endpointRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.endpoints.path,
    validateSearch: endpointSearch,
    component: lazyRouteComponent(() => import('./endpoints.page.tsx'), 'EndpointsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.endpoint.path,
    component: lazyRouteComponent(() => import('./endpoint.page.tsx'), 'EndpointPage'),
  }),
] as const;
