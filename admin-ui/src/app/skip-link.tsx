import styles from './skip-link.module.css';

/** The first stop of the keyboard: past the header and the navigation. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className={styles['skip']}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      Skip to the content
    </a>
  );
}
