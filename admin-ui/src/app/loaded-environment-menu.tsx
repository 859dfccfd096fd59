import { Menu } from '@mantine/core';
import { CheckIcon } from '@primer/octicons-react';
import { useLocation, useRouter } from '@tanstack/react-router';
import { type Environment, useSession } from '../session/session.ts';
import { useOpenedByButton } from '../ui/opened-by-button.ts';
import { EnvironmentButton } from './environment-button.tsx';
import styles from './environment-switch.module.css';
import { ENVIRONMENT_NAME, useEnvironment } from './environment.ts';

const MONEY = { sandbox: 'test money', live: 'real money' } as const;

/** The menu with its button, opened. */
export function LoadedEnvironmentMenu() {
  const { environments } = useSession();
  const environment = useEnvironment();
  const { target, ...menu } = useOpenedByButton();
  return (
    <Menu position="bottom-start" {...menu}>
      <Menu.Target>
        <EnvironmentButton ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        {environments.map((one) => (
          <SwitchItem key={one} environment={one} isCurrent={one === environment} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Leads to the same list there. Ids belong to one environment, so a detail page leads to its list. */
function SwitchItem({ environment, isCurrent }: { readonly environment: Environment; readonly isCurrent: boolean }) {
  const router = useRouter();
  const { pathname } = useLocation();
  const [, current, list = ''] = pathname.split('/');
  const target = current === 'sandbox' || current === 'live' ? `/${environment}/${list}` : `/${environment}`;
  return (
    <Menu.Item
      aria-current={isCurrent}
      leftSection={isCurrent ? <CheckIcon size={14} aria-hidden /> : <span className={styles['gap']} />}
      onClick={() => void router.navigate({ href: target })}
    >
      {ENVIRONMENT_NAME[environment]} ({MONEY[environment]})
    </Menu.Item>
  );
}
