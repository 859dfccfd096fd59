import type { ReactNode } from 'react';
import styles from './facts.module.css';

export interface Fact {
  readonly label: string;
  /** Null and undefined are shown as a dash. */
  readonly value: ReactNode;
  /** Left out while it has no value: for what few things have. */
  readonly isRare?: boolean;
  /** Takes the room of two where there is room: an address is compared as a whole, on one line. */
  readonly isWide?: boolean;
}

/** Labels and values of one thing. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(({ value, isRare = false }) => !isRare || (value !== null && value !== undefined))
        .map(({ label, value, isWide }) => (
          <div key={label} className={styles['fact']} data-wide={isWide}>
            <dt>{label}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
    </dl>
  );
}
