import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEnvironment } from '../app/environment.ts';
import { may, useSession } from '../session/session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useDialog } from './use-dialog.ts';

interface ReasonActionProps {
  /** The name of the dialog in the address; unique on the page. */
  readonly name: string;
  /** The button is shown to members with this permission alone. */
  readonly permission: string;
  /** The verb, on the button and in the dialog. */
  readonly label: string;
  /** The verb alone, on a button whose row says of what; its name is still the label. */
  readonly verb?: string;
  readonly title: string;
  /** What will happen. */
  readonly effect: ReactNode;
  /** Further fields, above the reason. The first one takes the focus with `data-autofocus`. */
  readonly fields?: ReactNode;
  /** The action that the page offers first. */
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  /** Does it; an error that it throws is shown in the dialog. */
  readonly onConfirm: (fields: Readonly<Record<string, string>>) => Promise<void>;
}

/** A button, and the dialog that asks for the reason before something is done. */
export function ReasonAction(props: ReasonActionProps) {
  const {
    name,
    permission,
    label,
    verb,
    title,
    effect,
    fields,
    isMain = false,
    isDangerous = false,
    onConfirm,
  } = props;
  const environment = useEnvironment();
  const session = useSession();
  const dialog = useDialog(name);
  if (!may(session, environment, permission)) return null;
  return (
    <>
      <Button
        size="xs"
        variant={isMain ? 'filled' : 'default'}
        onClick={dialog.open}
        {...(verb !== undefined && { 'aria-label': label })}
      >
        {verb ?? label}
      </Button>
      <ConfirmDialog
        isOpen={dialog.isOpen}
        title={title}
        confirmLabel={label}
        isDangerous={isDangerous}
        onClose={dialog.close}
        onConfirm={async (given) => {
          await onConfirm(given);
          dialog.close();
        }}
      >
        <Stack gap="xs">{typeof effect === 'string' ? <Text>{effect}</Text> : effect}</Stack>
        {fields}
        <TextInput
          name="reason"
          label="Reason, for the audit log"
          required
          maxLength={500}
          {...(fields === undefined && { 'data-autofocus': true })}
        />
      </ConfirmDialog>
    </>
  );
}
