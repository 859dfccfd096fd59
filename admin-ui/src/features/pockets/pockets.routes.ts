import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { oneOf, searchOf, text } from '../../ui/search-params.ts';
import type { PocketsSearch } from './pockets-search.ts';

export const pocketRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.pockets.path,
    validateSearch: searchOf<PocketsSearch>({
      network: oneOf(NETWORK_WORDS),
      token: text,
      merchant_id: text,
      after: text,
    }),
    component: lazyRouteComponent(() => import('./pockets.page.tsx'), 'PocketsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.pocket.path,
    validateSearch: searchOf<{ after: string }>({ after: text }),
    component: lazyRouteComponent(() => import('./pocket.page.tsx'), 'PocketPage'),
  }),
] as const;
