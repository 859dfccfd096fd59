import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { showFailure } from './toasts.ts';
import { visibleText } from './visible-text.ts';
import styles from './copy.module.css';

const SHOWN_MS = 1_500;

interface CopyProps {
  readonly value: string;
  /** What it is, for the name of the button: "Copy request id". */
  readonly label: string;
  /** What is shown in the place of the whole value, such as its beginning: on one line. */
  readonly shown?: string;
}

/** A value in monospace with a button that copies it. */
export function Copy({ value, label, shown }: CopyProps) {
  return (
    <span className={styles['copy']}>
      <bdi
        className={`${styles['value']} ${shown === undefined ? '' : styles['shortened']}`}
        title={shown === undefined ? undefined : visibleText(value)}
      >
        {visibleText(shown ?? value)}
      </bdi>
      <CopyButton value={value} label={label} />
    </span>
  );
}

/** Copies a value, and says for a moment that it did. */
function useCopy(value: string): { readonly isCopied: boolean; readonly copy: () => Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch (error) {
      showFailure('Not copied', error);
    }
  };
  return { isCopied, copy };
}

interface CopyActionProps {
  readonly value: string;
  /** The verb and what is copied: "Copy answer for the payer". */
  readonly label: string;
  /** What is worth knowing about the copy, below the button. */
  readonly hint?: string;
}

/** A button in words that copies a whole text, such as an answer or a command. */
export function CopyAction({ value, label, hint }: CopyActionProps) {
  const { isCopied, copy } = useCopy(value);
  if (!window.isSecureContext) return null;
  return (
    <Stack gap={4}>
      <Group gap={0}>
        <Button
          size="xs"
          variant="default"
          leftSection={<CopyIcon size={14} aria-hidden />}
          onClick={() => void copy()}
        >
          {label}
        </Button>
        <Text size="sm" component="span" role="status" ml={isCopied ? 'xs' : 0}>
          {isCopied ? 'Copied' : ''}
        </Text>
      </Group>
      {hint !== undefined && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </Stack>
  );
}

/** The button alone. */
export function CopyButton({ value, label }: Omit<CopyProps, 'shown'>) {
  const { isCopied, copy } = useCopy(value);
  if (!window.isSecureContext) return null;
  const Icon = isCopied ? CheckIcon : CopyIcon;
  return (
    <>
      <UnstyledButton className={styles['button']} aria-label={`Copy ${label}`} onClick={() => void copy()}>
        <Icon size={14} aria-hidden />
      </UnstyledButton>
      <span role="status" className={styles['status']}>
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}
