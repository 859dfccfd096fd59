import { lazy } from 'react';
import { useSession } from '../session/session.ts';
import { LazyMenu } from '../ui/lazy-menu.tsx';
import { EnvironmentBadge, EnvironmentButton } from './environment-button.tsx';
import styles from './environment-switch.module.css';
import { useEnvironment } from './environment.ts';

const LoadedEnvironmentMenu = lazy(async () => ({
  default: (await import('./loaded-environment-menu.tsx')).LoadedEnvironmentMenu,
}));

/** Says which environment every figure on the page belongs to, and changes it. */
export function EnvironmentSwitch() {
  const { environments } = useSession();
  const environment = useEnvironment();
  if (environments.length >= 2) return <LazyMenu Button={EnvironmentButton} Menu={LoadedEnvironmentMenu} />;
  return (
    <span className={styles['badge']} data-environment={environment}>
      <EnvironmentBadge />
    </span>
  );
}
