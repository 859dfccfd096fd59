import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useId, useRef } from 'react';
import { useSession } from '../session/session.ts';
import { useEnvironment } from './environment.ts';
import { hrefOf, type NavigationSection, navigationSections } from './navigation.ts';
import styles from './navigation-links.module.css';

/** The lists of this environment that the member may see, by subject. The one of this page is in view, also on a low screen. */
export function Navigation() {
  const session = useSession();
  const environment = useEnvironment();
  const sections = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    // In the next frame, which computes the layout anyway.
    const frame = requestAnimationFrame(() =>
      sections.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [pathname]);
  return (
    <div className={styles['sections']} ref={sections}>
      {navigationSections(session, environment).map((section) => (
        <Section key={section.title} {...section} />
      ))}
    </div>
  );
}

function Section({ title, pages }: NavigationSection) {
  const environment = useEnvironment();
  const heading = useId();
  return (
    <div>
      <div id={heading} className={styles['title']}>
        {title}
      </div>
      <ul className={styles['list']} aria-labelledby={heading}>
        {pages.map((page) => (
          <li key={page.path}>
            <Link
              to={hrefOf(page, environment)}
              className={styles['link']}
              activeProps={{ 'aria-current': 'page' }}
              activeOptions={{ includeSearch: false }}
            >
              {page.title}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
