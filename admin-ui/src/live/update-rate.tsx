import { Text } from '@mantine/core';
import { useIsReported } from './use-live.ts';

/** Says how old the page may be. */
export function UpdateRate() {
  const isReported = useIsReported();
  return (
    <Text size="xs" c="dimmed" px={10} mt="auto" data-updates={isReported ? 'reported' : 'polled'}>
      {isReported ? 'Live updates' : 'Updates every 5 s'}
    </Text>
  );
}
