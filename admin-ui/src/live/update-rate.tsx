import { Text } from '@mantine/core';
import { useIsReported } from './use-live.ts';
import styles from './update-rate.module.css';

/** Says how old the page may be. */
export function UpdateRate() {
  const isReported = useIsReported();
  return (
    <Text className={styles['foot']} size="xs" c="dimmed" mt="auto" data-updates={isReported ? 'reported' : 'polled'}>
      {isReported ? 'Live updates' : 'Updates every 5 s'}
    </Text>
  );
}
