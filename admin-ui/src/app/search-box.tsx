import { Kbd, TextInput } from '@mantine/core';
import { SearchIcon } from '@primer/octicons-react';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useLayoutEffect, useRef } from 'react';
import { useEnvironment } from './environment.ts';

/** Takes anything that names a payment, also a whole mail that contains it. `/` and Ctrl+K lead here. */
export function SearchBox() {
  const router = useRouter();
  const environment = useEnvironment();
  const input = useRef<HTMLInputElement>(null);
  useSearchKeys(() => input.current?.select());
  const search = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const q = input.current?.value.trim() ?? '';
    if (q === '') return;
    void router.navigate({ href: `/${environment}/search?${new URLSearchParams({ q })}` });
  };
  return (
    <form role="search" onSubmit={search}>
      <TextInput
        ref={input}
        type="search"
        aria-label="Search by id, address, transaction or reference"
        aria-keyshortcuts="/ Control+K"
        placeholder="Id, address, transaction, reference"
        leftSection={<SearchIcon size={16} aria-hidden />}
        rightSection={<Kbd aria-hidden>/</Kbd>}
        rightSectionPointerEvents="none"
      />
    </form>
  );
}

function useSearchKeys(onKey: () => void): void {
  const current = useRef(onKey);
  current.current = onKey;
  // Before the first paint, so that the keys work as soon as the box is visible.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      const isCtrlK = event.key === 'k' && (event.ctrlKey || event.metaKey);
      if (!isSlash && !isCtrlK) return;
      event.preventDefault();
      current.current();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** A slash in a text field is a slash. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
