import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { NETWORK_WORDS } from '../../ui/networks.ts';
import { oneOf, searchOf, text, time } from '../../ui/search-params.ts';
import { type IntentsSearch, STATUS_WORDS, UNUSUAL_WORDS } from './intents-search.ts';

export const intentRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.intents.path,
    validateSearch: searchOf<IntentsSearch>({
      status: oneOf(STATUS_WORDS),
      network: oneOf(NETWORK_WORDS),
      unusual: oneOf(UNUSUAL_WORDS),
      token: text,
      merchant_id: text,
      reference: text,
      created_gte: time,
      created_lt: time,
      after: text,
    }),
    component: lazyRouteComponent(() => import('./intents.page.tsx'), 'IntentsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.intent.path,
    component: lazyRouteComponent(() => import('./intent.page.tsx'), 'IntentPage'),
  }),
] as const;
