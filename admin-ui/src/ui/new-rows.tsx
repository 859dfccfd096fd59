import { UnstyledButton } from '@mantine/core';
import type { List } from './use-list.ts';
import styles from './new-rows.module.css';

/** "3 new, refresh". Rows never move by themselves. */
export function NewRows<Row>({ list }: { readonly list: List<Row> }) {
  const { newCount, isNewCountMore, refresh } = list;
  return (
    <div role="status" className={styles['status']}>
      {newCount > 0 && (
        <UnstyledButton className={styles['pill']} onClick={refresh}>
          {newCount}
          {isNewCountMore && '+'} new, refresh
        </UnstyledButton>
      )}
    </div>
  );
}
