import { ActionIcon } from '@mantine/core';
import { PersonIcon } from '@primer/octicons-react';
import type { Ref } from 'react';
import { useSession } from '../session/session.ts';
import type { OpenerProps } from '../ui/lazy-menu.tsx';

/** The button of the menu, in the corner of every page. */
export function UserMenuButton(props: OpenerProps & { readonly ref?: Ref<HTMLButtonElement> }) {
  const { staff } = useSession();
  return (
    <ActionIcon {...props} variant="default" size={32} radius="xl" aria-label={`Account of ${staff.email}`} ml="auto">
      <PersonIcon size={18} aria-hidden />
    </ActionIcon>
  );
}
