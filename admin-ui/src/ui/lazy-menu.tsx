import { type ComponentType, Suspense, useState } from 'react';

/** What makes a button the opener of a menu that is not loaded yet. */
export interface OpenerProps {
  readonly onClick?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
}

interface LazyMenuProps {
  readonly Button: ComponentType<OpenerProps>;
  /** The same button with its menu, which opens as soon as it is there. */
  readonly Menu: ComponentType;
}

/** A button whose menu is loaded when it is asked for: the first page of the console does without it. */
export function LazyMenu({ Button, Menu }: LazyMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const button = <Button onClick={() => setWanted(true)} aria-haspopup="menu" aria-expanded={false} />;
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <Menu />
    </Suspense>
  );
}
