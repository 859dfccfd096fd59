import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { searchOf, text } from '../../ui/search-params.ts';
import { merchantsSearch } from './merchants-search.ts';

/** Pages about merchants. */
export const merchantRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.merchants.path,
    validateSearch: merchantsSearch,
    component: lazyRouteComponent(() => import('./merchants.page.tsx'), 'MerchantsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.merchant.path,
    validateSearch: searchOf<{ after: string; dialog: string }>({ after: text, dialog: text }),
    component: lazyRouteComponent(() => import('./merchant.page.tsx'), 'MerchantPage'),
  }),
] as const;
