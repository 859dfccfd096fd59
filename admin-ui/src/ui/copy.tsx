import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { visibleText } from './visible-text.ts';
import styles from './copy.module.css';

const SHOWN_MS = 1_500;

interface CopyProps {
  readonly value: string;
  /** What it is, for the name of the button: "Copy request id". */
  readonly label: string;
  /** What is shown in the place of the whole value, such as its beginning. */
  readonly shown?: string;
}

/** A value in monospace with a button that copies it. */
export function Copy({ value, label, shown }: CopyProps) {
  return (
    <span className={styles['copy']}>
      <bdi className={styles['value']} title={shown === undefined ? undefined : visibleText(value)}>
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
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return { isCopied, copy };
}

/** A button in words that copies what is too long to be shown, such as a command. */
export function CopyAction({ value, children }: { readonly value: string; readonly children: string }) {
  const { isCopied, copy } = useCopy(value);
  if (!window.isSecureContext) return null;
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => void copy()}>
        {children}
      </Button>
      <Text size="sm" component="span" role="status">
        {isCopied ? 'Copied' : ''}
      </Text>
    </Group>
  );
}

/** The button alone. */
export function CopyButton({ value, label }: Omit<CopyProps, 'shown'>) {
  const { isCopied, copy } = useCopy(value);
  if (!window.isSecureContext) return null;
  const Icon = isCopied ? IconCheck : IconCopy;
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
