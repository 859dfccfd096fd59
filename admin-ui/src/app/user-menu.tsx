import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconLogout, IconUser, IconUserCog } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useSession } from '../session/session.ts';
import { useSignOut } from '../session/sign-out.ts';
import { setTimeStyle, TIME_STYLES, useTimeStyle } from '../ui/time-style.ts';
import { useEnvironment } from './environment.ts';

const SCHEMES = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;
const SCHEME_NAMES = ['auto', 'light', 'dark'] as const;

/** Who is signed in, and the settings of this browser. */
export function UserMenu() {
  const router = useRouter();
  const { staff } = useSession();
  const role = staff.roles[useEnvironment()];
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const timeStyle = useTimeStyle();
  const signOut = useSignOut();
  const mark = (isOn: boolean) => (isOn ? <IconCheck size={14} aria-hidden /> : <span style={{ width: 14 }} />);
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="default" size={32} radius="xl" aria-label={`Account of ${staff.email}`} ml="auto">
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {staff.email} ({role})
        </Menu.Label>
        <Menu.Item
          leftSection={<IconUserCog size={14} aria-hidden />}
          onClick={() => void router.navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {SCHEME_NAMES.map((name) => (
          <Menu.Item
            key={name}
            role="menuitemradio"
            aria-checked={colorScheme === name}
            leftSection={mark(colorScheme === name)}
            onClick={() => setColorScheme(name)}
          >
            {SCHEMES[name]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>Times</Menu.Label>
        {TIME_STYLES.map(({ style, name }) => (
          <Menu.Item
            key={style}
            role="menuitemradio"
            aria-checked={timeStyle === style}
            leftSection={mark(timeStyle === style)}
            onClick={() => setTimeStyle(style)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={14} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
