import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { searchOf, text } from '../../ui/search-params.ts';
import type { InboxSearch } from './inbox-answers.ts';

/** Pages about the inboxes of the sandbox. */
export const inboxRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.inboxes.path,
    component: lazyRouteComponent(() => import('./inboxes.page.tsx'), 'InboxesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.inbox.path,
    validateSearch: searchOf<InboxSearch>({ request: text, after: text }),
    component: lazyRouteComponent(() => import('./inbox.page.tsx'), 'InboxPage'),
  }),
] as const;
