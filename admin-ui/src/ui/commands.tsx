import { Code, Group, Stack, Text } from '@mantine/core';
import styles from './commands.module.css';
import { CopyButton } from './copy.tsx';

/** What the console does not do itself: commands to copy. */
export function Commands({ commands }: { readonly commands: readonly string[] }) {
  return (
    <Stack gap={4} className={styles['commands']}>
      <Text size="sm" c="dimmed">
        An operator runs this on the server:
      </Text>
      {commands.map((command) => (
        <Group key={command} gap={4} wrap="nowrap">
          <Code className={styles['command']}>{command}</Code>
          <CopyButton value={command} label="the command" />
        </Group>
      ))}
    </Stack>
  );
}
