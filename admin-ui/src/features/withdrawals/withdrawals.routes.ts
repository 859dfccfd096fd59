import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { oneOf, searchOf, text, time } from '../../ui/search-params.ts';
import { STATUS_WORDS, type WithdrawalsSearch } from './withdrawals-search.ts';

export const withdrawalRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.withdrawals.path,
    validateSearch: searchOf<WithdrawalsSearch>({
      status: oneOf(STATUS_WORDS),
      waits_for: oneOf(['approval']),
      network: oneOf(NETWORK_WORDS),
      merchant_id: text,
      pocket_id: text,
      destination: text,
      created_gte: time,
      created_lt: time,
      after: text,
    }),
    component: lazyRouteComponent(() => import('./withdrawals.page.tsx'), 'WithdrawalsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.withdrawal.path,
    component: lazyRouteComponent(() => import('./withdrawal.page.tsx'), 'WithdrawalPage'),
  }),
] as const;
