import { Button } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { showSuccess } from './toasts.ts';

interface CopyTextButtonProps {
  /** The verb and what is copied: "Copy answer for the payer". */
  readonly label: string;
  readonly text: string;
}

/** Copies a text for a reply, and shows what was copied. */
export function CopyTextButton({ label, text }: CopyTextButtonProps) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    showSuccess('Copied', text);
  };
  // Browsers copy on https and on this machine alone.
  if (!window.isSecureContext) return null;
  return (
    <Button size="xs" variant="default" leftSection={<IconCopy size={14} aria-hidden />} onClick={() => void copy()}>
      {label}
    </Button>
  );
}
