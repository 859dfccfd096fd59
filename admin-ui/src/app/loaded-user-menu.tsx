import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { GearIcon, SignOutIcon } from '@primer/octicons-react';
import { useRouter } from '@tanstack/react-router';
import { useSession } from '../session/session.ts';
import { useSignOut } from '../session/sign-out.ts';
import { useOpenedByButton } from '../ui/opened-by-button.ts';
import { setTimeStyle, TIME_STYLES, type TimeStyle, useTimeStyle } from '../ui/time-style.ts';
import { useEnvironment } from './environment.ts';
import { UserMenuButton } from './user-menu-button.tsx';

const SCHEMES = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;
const SCHEME_NAMES = ['auto', 'light', 'dark'] as const;

/** The menu with its button, opened. */
export function LoadedUserMenu() {
  const { target, ...menu } = useOpenedByButton();
  const router = useRouter();
  const { staff } = useSession();
  const role = staff.roles[useEnvironment()];
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const timeStyle = useTimeStyle();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={230} {...menu}>
      <Menu.Target>
        <UserMenuButton ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {staff.email} ({role})
        </Menu.Label>
        <Menu.Item
          leftSection={<GearIcon size={14} aria-hidden />}
          onClick={() => void router.navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(name) => setColorScheme(name as MantineColorScheme)}>
          {SCHEME_NAMES.map((name) => (
            <Menu.RadioItem key={name} value={name}>
              {SCHEMES[name]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>Times</Menu.Label>
        <Menu.RadioGroup value={timeStyle} onChange={(style) => setTimeStyle(style as TimeStyle)}>
          {TIME_STYLES.map(({ style, name }) => (
            <Menu.RadioItem key={style} value={style}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={14} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
