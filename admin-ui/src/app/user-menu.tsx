import { lazy } from 'react';
import { LazyMenu } from '../ui/lazy-menu.tsx';
import { UserMenuButton } from './user-menu-button.tsx';

const LoadedUserMenu = lazy(async () => ({ default: (await import('./loaded-user-menu.tsx')).LoadedUserMenu }));

/** Who is signed in, and the settings of this browser. */
export function UserMenu() {
  return <LazyMenu Button={UserMenuButton} Menu={LoadedUserMenu} />;
}
