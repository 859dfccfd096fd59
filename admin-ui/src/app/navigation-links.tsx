import { Link } from '@tanstack/react-router';
import { useSession } from '../session/session.ts';
import { useEnvironment } from './environment.ts';
import { hrefOf, navigationOf } from './navigation.ts';
import styles from './navigation-links.module.css';

/** The lists of this environment that the member may see. */
export function Navigation() {
  const session = useSession();
  const environment = useEnvironment();
  return (
    <ul className={styles['list']}>
      {navigationOf(session, environment).map((page) => (
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
  );
}
