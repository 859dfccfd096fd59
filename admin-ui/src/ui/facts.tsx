import type { ReactNode } from 'react';
import styles from './facts.module.css';

export interface Fact {
  readonly label: string;
  /** Null and undefined are shown as a dash. */
  readonly value: ReactNode;
  /** Left out while it has no value: for what few things have. */
  readonly isRare?: boolean;
}

/** Labels and values of one thing. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(({ value, isRare = false }) => !isRare || (value !== null && value !== undefined))
        .map(({ label, value }) => (
          <div key={label} className={styles['fact']}>
            <dt>{label}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
    </dl>
  );
}
