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

// Every time on a page asks for it: the store of the browser would be read for each.
let current = stored();

function show(style: TimeStyle): void {
  current = style;
  for (const listener of listeners) listener();
}

// Another tab has chosen.
window.addEventListener('storage', () => show(stored()));

export function setTimeStyle(style: TimeStyle): void {
  window.localStorage.setItem(KEY, style);
  show(style);
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The style that this browser has chosen. */
export function useTimeStyle(): TimeStyle {
  return useSyncExternalStore(watch, () => current);
}
