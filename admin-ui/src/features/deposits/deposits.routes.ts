import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { oneOf, searchOf, text } from '../../ui/search-params.ts';
import {
  DECISION_KINDS,
  type DecideSearch,
  type DepositsSearch,
  KNOW_KINDS,
  type KnowSearch,
} from './deposits-search.ts';

/** Pages about deposits, and about what waits for a decision. */
export const depositRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.decide.path,
    validateSearch: searchOf<DecideSearch>({ kind: oneOf(DECISION_KINDS), after: text }),
    component: lazyRouteComponent(() => import('./decide.page.tsx'), 'DecidePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.know.path,
    validateSearch: searchOf<KnowSearch>({ kind: oneOf(KNOW_KINDS), acknowledged: oneOf(['true']), after: text }),
    component: lazyRouteComponent(() => import('./know.page.tsx'), 'KnowPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.deposits.path,
    validateSearch: searchOf<DepositsSearch>({ network: oneOf(NETWORK_WORDS), after: text }),
    component: lazyRouteComponent(() => import('./deposits.page.tsx'), 'DepositsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.deposit.path,
    component: lazyRouteComponent(() => import('./deposit.page.tsx'), 'DepositPage'),
  }),
] as const;
