import { UnstyledButton } from '@mantine/core';
import { BeakerIcon, ChevronDownIcon, GlobeIcon } from '@primer/octicons-react';
import type { Ref } from 'react';
import type { OpenerProps } from '../ui/lazy-menu.tsx';
import styles from './environment-switch.module.css';
import { ENVIRONMENT_NAME, useEnvironment } from './environment.ts';

const ICON = { sandbox: BeakerIcon, live: GlobeIcon } as const;

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
      <ChevronDownIcon size={14} aria-hidden />
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
