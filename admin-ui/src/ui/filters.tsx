import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import styles from './filters.module.css';

/**
 * Sets filters in the address, and starts at the first page again. A filter that is set to undefined is removed. The
 * current values come from `useSearch` of the page's route.
 */
export function useSetFilters<Search extends object>(): (changes: Partial<Search>) => void {
  const navigate = useNavigate();
  return (changes) =>
    void navigate({
      to: '.',
      search: ((old: object) => ({ ...old, ...changes, after: undefined })) as never,
      replace: true,
    });
}

/** Whether a filter is set. `searchOf` names every one of them, also those that are not. */
export const hasFilters = (filters: object): boolean => Object.values(filters).some((value) => value !== undefined);

interface FiltersProps {
  /** Names the filters for screen readers. */
  readonly label: string;
  /** Removes all filters; undefined when none is set. */
  readonly onClear: (() => void) | undefined;
  readonly children: ReactNode;
}

/** The bar of filters above a list. */
export function Filters({ label, onClear, children }: FiltersProps) {
  return (
    <div role="group" aria-label={label} className={styles['bar']}>
      {children}
      {onClear !== undefined && (
        <Button variant="subtle" size="xs" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface SelectFilterProps<Word extends string> {
  readonly label: string;
  readonly value: Word | undefined;
  readonly options: readonly { readonly value: Word; readonly label: string }[];
  readonly onChange: (value: Word | undefined) => void;
  /** Whether one of the words is always chosen. */
  readonly isRequired?: boolean;
}

/** One of a few words, or any. */
export function SelectFilter<Word extends string>(props: SelectFilterProps<Word>) {
  const { label, value, options, onChange, isRequired = false } = props;
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(options.find((option) => option.value === currentTarget.value)?.value)}
      data={isRequired ? options : [{ value: '', label: 'Any' }, ...options]}
    />
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder?: string;
  readonly onChange: (value: string | undefined) => void;
}

/** An exact value, applied by Enter or when the field is left. */
export function TextFilter({ label, value = '', placeholder, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = (): void => {
    const next = typed.trim();
    if (next !== value) onChange(next === '' ? undefined : next);
  };
  return (
    <TextInput
      size="xs"
      label={label}
      value={typed}
      spellCheck={false}
      {...(placeholder !== undefined && { placeholder })}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}

interface TimeFilterProps {
  readonly label: string;
  /** ISO 8601, UTC. */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly description?: string;
  readonly error?: string | null;
}

/** A time in UTC, to the minute. */
export function TimeFilter({ label, value, onChange, description, error = null }: TimeFilterProps) {
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={`${label} (UTC)`}
      {...(description !== undefined && { description })}
      error={error}
      value={value?.slice(0, 'YYYY-MM-DDTHH:mm'.length) ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : `${currentTarget.value}:00.000Z`)
      }
    />
  );
}

interface Period {
  readonly created_gte?: string | undefined;
  readonly created_lt?: string | undefined;
}

interface PeriodFilterProps {
  readonly value: Period;
  readonly onChange: (change: Period) => void;
}

/** The time of the rows of a list: from the first time to before the second. */
export function PeriodFilter({ value, onChange }: PeriodFilterProps) {
  return (
    <>
      <TimeFilter label="From" value={value.created_gte} onChange={(at) => onChange({ created_gte: at })} />
      <TimeFilter label="Before" value={value.created_lt} onChange={(at) => onChange({ created_lt: at })} />
    </>
  );
}

interface MerchantFilterProps {
  readonly value: string | undefined;
  readonly onChange: (change: { readonly merchant_id: string | undefined }) => void;
}

/** The merchant of the rows of a list. */
export function MerchantFilter({ value, onChange }: MerchantFilterProps) {
  return (
    <TextFilter
      label="Merchant id"
      value={value}
      placeholder="mer_…"
      onChange={(id) => onChange({ merchant_id: id })}
    />
  );
}
