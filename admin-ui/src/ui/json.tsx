import { CopyButton } from './copy.tsx';
import { ForeignText } from './foreign-text.tsx';
import styles from './json.module.css';

const SHOWN_MAX = 8_000;

interface JsonProps {
  readonly value: unknown;
  /** What it is, for the copy button: "Copy the event". */
  readonly label: string;
}

/** A JSON value, indented, with a button that copies it. Text that is no JSON is shown as it is. */
export function Json({ value, label }: JsonProps) {
  const written = typeof value === 'string' ? indented(value) : JSON.stringify(value, null, 2);
  return (
    <div className={styles['json']}>
      <div className={styles['copy']}>
        <CopyButton value={written} label={label} />
      </div>
      <pre tabIndex={0} aria-label={label} role="region">
        <ForeignText value={written} max={SHOWN_MAX} isCode />
      </pre>
    </div>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
