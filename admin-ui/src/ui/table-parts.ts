import type { ReactNode } from 'react';

/** One column of a table. */
export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand to the right. */
  readonly align?: 'right';
  /** Left out on narrow screens, where each row is a card. */
  readonly isMinor?: boolean;
}

/** What an empty table says: why it is empty, and what to do next. */
export interface Emptiness {
  readonly title: string;
  readonly hint: ReactNode;
}

/** Which rows are chosen, by their ids. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly onChange: (ids: ReadonlySet<string>) => void;
}
