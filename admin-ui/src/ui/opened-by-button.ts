import { useEffect, useRef, useState } from 'react';

/**
 * The state of a menu that replaces the button by which it was asked for: it takes over the focus, which it returns when it
 * is closed, and opens.
 */
export function useOpenedByButton() {
  const target = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    target.current?.focus();
    setOpened(true);
  }, []);
  return { target, opened, onChange: setOpened };
}
