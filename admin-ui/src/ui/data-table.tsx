import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Skeleton, VisuallyHidden } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';
import { ErrorState } from './error-state.tsx';
import styles from './data-table.module.css';
import type { Column, Emptiness, Selection } from './table-parts.ts';

const SKELETON_ROWS = 6;

interface DataTableProps<Row extends { readonly id: string }> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  readonly error?: ApiError | null;
  readonly onRetry?: () => void;
  readonly empty: Emptiness;
  readonly selection?: Selection;
}

/**
 * A table of rows of the service, with what it shows while they load, when there are none, and when they could not be
 * loaded. On narrow screens each row is a card; the roles keep it a table for screen readers there.
 */
export function DataTable<Row extends { readonly id: string }>(props: DataTableProps<Row>) {
  const { label, columns, rows, error = null, onRetry, empty, selection } = props;
  if (error !== null && rows === undefined)
    return <ErrorState error={error} {...(onRetry !== undefined && { onRetry })} />;
  if (rows?.length === 0) return <EmptyState {...empty} />;
  return (
    <table className={styles['table']} role="table" aria-label={label} aria-busy={rows === undefined}>
      <thead role="rowgroup">
        <tr role="row">
          {selection !== undefined && (
            <th role="columnheader" className={styles['choice']}>
              <ChooseAll rows={rows ?? []} selection={selection} />
            </th>
          )}
          {columns.map(({ key, header, align, isMinor }) => (
            <th key={key} role="columnheader" scope="col" data-align={align} data-minor={isMinor}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows === undefined
          ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
              <SkeletonRow key={row} columns={columns} hasChoice={selection !== undefined} />
            ))
          : rows.map((row) => <DataRow key={row.id} row={row} columns={columns} selection={selection} />)}
      </tbody>
    </table>
  );
}

interface DataRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly selection: Selection | undefined;
}

function DataRow<Row extends { readonly id: string }>({ row, columns, selection }: DataRowProps<Row>) {
  const isChosen = selection?.ids.has(row.id) ?? false;
  const choose = (): void => {
    const ids = new Set(selection?.ids);
    if (!ids.delete(row.id)) ids.add(row.id);
    selection?.onChange(ids);
  };
  return (
    <tr role="row" data-chosen={isChosen || undefined}>
      {selection !== undefined && (
        <td role="cell" className={styles['choice']}>
          <Checkbox size="xs" checked={isChosen} onChange={choose} aria-label={`Select ${row.id}`} />
        </td>
      )}
      {columns.map(({ key, header, cell, align, isMinor }) => (
        <td key={key} role="cell" data-label={header} data-align={align} data-minor={isMinor}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The box of the head: every row of this page. */
function ChooseAll({
  rows,
  selection,
}: {
  readonly rows: readonly { readonly id: string }[];
  readonly selection: Selection;
}) {
  const chosen = rows.filter(({ id }) => selection.ids.has(id)).length;
  const isAll = rows.length > 0 && chosen === rows.length;
  return (
    <Checkbox
      size="xs"
      checked={isAll}
      indeterminate={chosen > 0 && !isAll}
      onChange={() => selection.onChange(new Set(isAll ? [] : rows.map(({ id }) => id)))}
      aria-label="Select all rows of this page"
    />
  );
}

function SkeletonRow<Row>({
  columns,
  hasChoice,
}: {
  readonly columns: readonly Column<Row>[];
  readonly hasChoice: boolean;
}) {
  return (
    <tr role="row">
      {hasChoice && <td role="cell" className={styles['choice']} />}
      {columns.map(({ key, isMinor }, index) => (
        <td key={key} role="cell" data-minor={isMinor}>
          {index === 0 && <VisuallyHidden>Loading</VisuallyHidden>}
          <Skeleton height={12} width={index === 0 ? '70%' : '45%'} />
        </td>
      ))}
    </tr>
  );
}

/** Nothing here: why, and what to do next. */
export function EmptyState({ title, hint }: Emptiness) {
  return (
    <div className={styles['empty']}>
      <p className={styles['emptyTitle']}>{title}</p>
      <div>{hint}</div>
    </div>
  );
}
