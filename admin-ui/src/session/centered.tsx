import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import styles from './centered.module.css';

/** The frame of the pages that need no session. */
export function Centered({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Coffer`;
  }, [title]);
  return (
    <main className={styles['outer']}>
      <p className={styles['brand']}>Coffer</p>
      <section className={styles['card']}>
        <Title order={1}>{title}</Title>
        {children}
      </section>
    </main>
  );
}
