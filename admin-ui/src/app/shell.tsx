import { AppShell, Burger, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { UpdateRate } from '../live/update-rate.tsx';
import { useChangeStream } from '../live/use-live.ts';
import { type Environment, useSession } from '../session/session.ts';
import { EnvironmentSwitch } from './environment-switch.tsx';
import { asEnvironment, rememberEnvironment, useEnvironment } from './environment.ts';
import { Navigation } from './navigation-links.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { SearchBox } from './search-box.tsx';
import styles from './shell.module.css';
import { SkipLink } from './skip-link.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page of signed-in staff. Its edge has the colour of the environment. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const environment = useEnvironment();
  useRemembered(pathname);
  useChangeStream(useSession());
  useEffect(() => close(), [pathname, close]);
  return (
    <AppShell
      header={{ height: { base: 96, sm: 56 } }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
      data-environment={environment}
      className={styles['shell']}
    >
      <AppShell.Header className={styles['header']}>
        <SkipLink />
        <Burger
          opened={isOpen}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label="Navigation"
          aria-expanded={isOpen}
        />
        <span className={styles['brand']}>Coffer</span>
        <EnvironmentSwitch />
        <div className={styles['search']}>
          <SearchBox />
        </div>
        <UserMenu />
      </AppShell.Header>
      <AppShell.Navbar className={styles['navbar']} aria-label="Pages" component="nav">
        <Navigation />
        <UpdateRate />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <VisuallyHidden>{environment === 'live' ? 'Live: real money' : 'Sandbox: test money'}</VisuallyHidden>
        <OfflineBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** Keeps the environment of the address for the next visit. */
function useRemembered(pathname: string): void {
  const environment: Environment | null = asEnvironment(pathname.split('/')[1]);
  useEffect(() => {
    if (environment !== null) rememberEnvironment(environment);
  }, [environment]);
}
