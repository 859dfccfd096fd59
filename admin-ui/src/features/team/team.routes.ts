import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';

/** The page of the team. */
export const teamRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.team.path,
    component: lazyRouteComponent(() => import('./team.page.tsx'), 'TeamPage'),
  }),
] as const;
