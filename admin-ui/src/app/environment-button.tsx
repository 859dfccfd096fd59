import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconFlask, IconWorld } from '@tabler/icons-react';
import type { Ref } from 'react';
import type { OpenerProps } from '../ui/lazy-menu.tsx';
import styles from './environment-switch.module.css';
import { ENVIRONMENT_NAME, useEnvironment } from './environment.ts';

const ICON = { sandbox: IconFlask, live: IconWorld } as const;

/** The button of the switch, for a member who sees both environments. */
export function EnvironmentButton(props: OpenerProps & { readonly ref?: Ref<HTMLButtonElement> }) {
  const environment = useEnvironment();
  return (
    <UnstyledButton
      {...props}
      className={styles['badge']}
      data-environment={environment}
      aria-label={`Environment: ${ENVIRONMENT_NAME[environment]}`}
    >
      <EnvironmentBadge />
      <IconChevronDown size={14} aria-hidden />
    </UnstyledButton>
  );
}

/** The name of the environment, and its icon. */
export function EnvironmentBadge() {
  const environment = useEnvironment();
  const Icon = ICON[environment];
  return (
    <>
      <Icon size={16} aria-hidden />
      {ENVIRONMENT_NAME[environment]}
    </>
  );
}
