import { useCallback, useState } from 'react';

/**
 * Text that a person has typed and not sent yet, kept over a reload of this tab, such as the one after a deploy. Not for
 * secrets. `name` is unique on the page; `forget` removes it once it was sent.
 */
export function useDraft(name: string): { readonly text: string; setText(text: string): void; forget(): void } {
  const key = `coffer.draft:${window.location.pathname}:${name}`;
  const [text, setState] = useState(() => window.sessionStorage.getItem(key) ?? '');
  const setText = useCallback(
    (next: string) => {
      setState(next);
      window.sessionStorage.setItem(key, next);
    },
    [key],
  );
  const forget = useCallback(() => {
    setState('');
    window.sessionStorage.removeItem(key);
  }, [key]);
  return { text, setText, forget };
}
