import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, shellRoute } from '../app/layout-routes.tsx';
import { NotFound } from '../app/page-states.tsx';
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

/** Pages about the session itself, and the addresses that lead on or to no page. */
export const accountRoutes = [
  createRoute({ getParentRoute: () => shellRoute, path: '/' }),
  createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound }),
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
