import { Loader } from '@mantine/core';
import styles from './loading.module.css';

/** What a page shows until its code is there. Invisible at first: most pages come sooner than an eye notices. */
export function Loading() {
  return (
    <div className={styles['loading']} role="status" aria-label="Loading">
      <Loader size="sm" />
    </div>
  );
}
