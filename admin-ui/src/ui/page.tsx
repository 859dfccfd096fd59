import { Group, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';

interface PageProps {
  /** Title of the document, and the heading when there is no other. */
  readonly title: string;
  readonly heading?: ReactNode;
  /** What can be done here, to the right of the heading. */
  readonly actions?: ReactNode;
  /** One sentence under the heading. */
  readonly summary?: ReactNode;
  readonly children: ReactNode;
}

/** The first page of a visit leaves the focus to the browser. */
let isFirstPage = true;

/** Whether somebody is typing, such as in the search box of the header. */
const isTyping = (): boolean => /^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? '');

/**
 * The frame of every page: its title, its heading, its actions. When the path changes the heading takes the focus, so that
 * a screen reader says where the reader is and the next Tab starts at the content. New filters of a list leave it alone.
 */
export function Page({ title, heading = title, actions, summary, children }: PageProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const environment = pathname.startsWith('/live') ? 'Live' : pathname.startsWith('/sandbox') ? 'Sandbox' : null;
    document.title = [title, environment, 'Coffer'].filter((part) => part !== null).join(' · ');
  }, [title, pathname]);
  useEffect(() => {
    if (!isFirstPage && !isTyping()) ref.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, [pathname]);
  return (
    <div className={styles['page']}>
      <Group justify="space-between" align="flex-start" gap="sm" className={styles['head']}>
        <div>
          <Title order={1} ref={ref} tabIndex={-1}>
            {heading}
          </Title>
          {summary !== undefined && <p className={styles['summary']}>{summary}</p>}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </div>
  );
}
