import { useSyncExternalStore } from 'react';

/** How times are written. */
export type TimeStyle = 'relative' | 'utc' | 'local';

export const TIME_STYLES: readonly { readonly style: TimeStyle; readonly name: string }[] = [
  { style: 'relative', name: 'Relative' },
  { style: 'utc', name: 'UTC' },
  { style: 'local', name: 'Local' },
];

const KEY = 'coffer.times';
const listeners = new Set<() => void>();

function stored(): TimeStyle {
  const value = window.localStorage.getItem(KEY);
  return TIME_STYLES.find(({ style }) => style === value)?.style ?? 'relative';
}

export function setTimeStyle(style: TimeStyle): void {
  window.localStorage.setItem(KEY, style);
  for (const listener of listeners) listener();
}

/** The style that this browser has chosen. */
export function useTimeStyle(): TimeStyle {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, stored);
}
