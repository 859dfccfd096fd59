import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown, IconFlask, IconWorld } from '@tabler/icons-react';
import { useLocation, useRouter } from '@tanstack/react-router';
import { type Environment, useSession } from '../session/session.ts';
import { ENVIRONMENT_NAME, useEnvironment } from './environment.ts';
import styles from './environment-switch.module.css';

const ICON = { sandbox: IconFlask, live: IconWorld } as const;
const MONEY = { sandbox: 'test money', live: 'real money' } as const;

/** Says which environment every figure on the page belongs to, and changes it. */
export function EnvironmentSwitch() {
  const { environments } = useSession();
  const environment = useEnvironment();
  const Icon = ICON[environment];
  const badge = (
    <>
      <Icon size={16} aria-hidden />
      {ENVIRONMENT_NAME[environment]}
    </>
  );
  if (environments.length < 2) {
    return (
      <span className={styles['badge']} data-environment={environment}>
        {badge}
      </span>
    );
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={styles['badge']}
          data-environment={environment}
          aria-label={`Environment: ${ENVIRONMENT_NAME[environment]}`}
        >
          {badge}
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
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
      leftSection={isCurrent ? <IconCheck size={14} aria-hidden /> : <span className={styles['gap']} />}
      onClick={() => void router.navigate({ href: target })}
    >
      {ENVIRONMENT_NAME[environment]} ({MONEY[environment]})
    </Menu.Item>
  );
}
