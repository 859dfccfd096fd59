import { useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithRef, MouseEvent } from 'react';

interface PlaceLinkProps extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  /** An address below `/admin`, with its search parameters, such as `/sandbox/intents?status=failed`. */
  readonly to: string;
}

/** A link to an address that is put together: the typed link of the router takes the paths of its routes alone. */
export function PlaceLink({ to, ...anchor }: PlaceLinkProps) {
  const router = useRouter();
  const open = (event: MouseEvent<HTMLAnchorElement>): void => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain) return;
    event.preventDefault();
    void router.navigate({ href: to });
  };
  return <a {...anchor} href={`/admin${to}`} onClick={open} />;
}
