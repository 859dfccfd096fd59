import { useLocation, useNavigate } from '@tanstack/react-router';

/** The search parameter that holds the name of the open dialog. */
export interface DialogSearch {
  readonly dialog?: string;
}

/** A dialog whose state is in the address: it survives a reload, and the back button closes it. */
export function useDialog(name: string): {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
} {
  const navigate = useNavigate();
  const { search } = useLocation();
  const show = (dialog: string | undefined, replace: boolean) =>
    void navigate({ to: '.', search: ((old: object) => ({ ...old, dialog })) as never, replace, resetScroll: false });
  return {
    isOpen: (search as DialogSearch).dialog === name,
    open: () => show(name, false),
    close: () => show(undefined, true),
  };
}
