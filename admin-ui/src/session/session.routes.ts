import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, shellRoute } from '../app/layout-routes.tsx';
import { PAGES } from '../app/route-table.ts';
import { nextSearch } from './next-url.ts';

/** Pages without a session. */
export const sessionRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: PAGES.signIn.path,
    validateSearch: nextSearch,
    component: lazyRouteComponent(() => import('./sign-in.page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: PAGES.accept.path,
    component: lazyRouteComponent(() => import('./accept.page.tsx'), 'AcceptPage'),
  }),
] as const;

/** Pages about the session itself. */
export const accountRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.account.path,
    component: lazyRouteComponent(() => import('./account.page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.codes.path,
    component: lazyRouteComponent(() => import('./codes.page.tsx'), 'CodesPage'),
  }),
] as const;
