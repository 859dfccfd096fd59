import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.tsx';
import { PAGES } from '../../app/route-table.ts';
import { auditSearch } from './audit-search.ts';

/** The page of the audit log. */
export const auditRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: PAGES.audit.path,
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('./audit.page.tsx'), 'AuditPage'),
  }),
] as const;
