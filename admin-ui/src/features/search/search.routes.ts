import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import type { Reader } from '../../ui/search-params.ts';
import { searchOf } from '../../ui/search-params.ts';

/** A pasted mail is longer than other texts of an address. The service takes as many characters. */
const MAIL_MAX = 4_000;
const mail: Reader<string> = (value) => (value.trim() === '' ? undefined : value.slice(0, MAIL_MAX));

export const searchRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.search.path,
    validateSearch: searchOf<{ q: string }>({ q: mail }),
    component: lazyRouteComponent(() => import('./search.page.tsx'), 'SearchPage'),
  }),
] as const;
