import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../session/session.ts';
import { queryClient } from './query-client.ts';
import { landingFor } from './navigation.ts';
import { PAGES } from './route-table.ts';

export const rootRoute = createRootRoute({ component: Outlet });

/** Everything that needs a session. Without one, the member signs in first and returns to the same address. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) {
      const isLanding = location.pathname === '/';
      throw redirect({ to: PAGES.signIn.path, search: isLanding ? {} : { next: location.href } });
    }
    const { totp_required, totp_enabled } = session.staff;
    if (totp_required && !totp_enabled && location.pathname !== PAGES.codes.path) {
      throw redirect({ to: PAGES.codes.path });
    }
    const landing = landingFor(location.pathname, session);
    if (landing !== null) throw redirect({ to: landing, replace: true });
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
});
