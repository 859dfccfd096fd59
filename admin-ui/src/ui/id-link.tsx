import { CopyButton } from './copy.tsx';
import styles from './copy.module.css';
import { PlaceLink } from './place-link.tsx';
import { shortId } from './short.ts';

interface IdLinkProps {
  /** The page of the object, below `/admin`. */
  readonly to: string;
  readonly id: string;
}

/** The id of an object in a table: shortened, on one line. It leads to its page, and the button copies the whole id. */
export function IdLink({ to, id }: IdLinkProps) {
  return (
    <span className={styles['copy']}>
      <PlaceLink to={to} title={id} className={styles['id'] ?? ''}>
        {shortId(id)}
      </PlaceLink>
      <CopyButton value={id} label={id} />
    </span>
  );
}
