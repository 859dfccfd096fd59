import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { oneOf, searchOf } from '../../ui/search-params.ts';
import { CHART_DAYS, type ChartsSearch } from './charts-search.ts';

/** Pages about the state of the service itself. */
export const operationRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.networks.path,
    component: lazyRouteComponent(() => import('./networks.page.tsx'), 'NetworksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.walletPool.path,
    component: lazyRouteComponent(() => import('./wallet-pool.page.tsx'), 'WalletPoolPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.treasury.path,
    component: lazyRouteComponent(() => import('./treasury.page.tsx'), 'TreasuryPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.prices.path,
    component: lazyRouteComponent(() => import('./prices.page.tsx'), 'PricesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.books.path,
    component: lazyRouteComponent(() => import('./books.page.tsx'), 'BooksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.sanctions.path,
    component: lazyRouteComponent(() => import('./sanctions.page.tsx'), 'SanctionsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.charts.path,
    validateSearch: searchOf<ChartsSearch>({ days: oneOf(CHART_DAYS) }),
    component: lazyRouteComponent(() => import('./charts.page.tsx'), 'ChartsPage'),
  }),
] as const;
