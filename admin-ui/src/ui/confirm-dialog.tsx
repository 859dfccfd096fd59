import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormError } from '../session/form-error.tsx';
import { useSubmit } from '../session/use-submit.ts';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** What will happen, and the fields that it needs; their values come to `onConfirm` by name. */
  readonly children: ReactNode;
  /** The verb: "Resend", never "OK". */
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  /** Does it. An error that it throws is shown in the dialog, which stays open. */
  readonly onConfirm: (fields: Readonly<Record<string, string>>) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before an action. It sends once, also on a double click; the focus goes back to what has opened it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, children, confirmLabel, isDangerous = false, onConfirm, onClose } = props;
  const { isSending, error, onSubmit } = useSubmit(onConfirm);
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          {children}
          <FormError error={error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSending} {...(isDangerous && { color: 'red.9' })}>
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
