import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';

export const withdrawalRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.withdrawal.path,
    component: lazyRouteComponent(() => import('./withdrawal.page.tsx'), 'WithdrawalPage'),
  }),
] as const;
