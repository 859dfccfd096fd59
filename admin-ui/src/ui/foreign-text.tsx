import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { wholeText } from './numbers.ts';
import { visibleText } from './visible-text.ts';
import styles from './foreign-text.module.css';

const SHOWN_MAX = 300;

interface ForeignTextProps {
  readonly value: string;
  /** Characters that are shown before the reader asks for all. */
  readonly max?: number;
  readonly isCode?: boolean;
  /** On one line if it fits, such as an e-mail address. */
  readonly isWord?: boolean;
}

/** Text of a merchant, a payer or a receiver. It cannot reorder or hide what stands around it, and long text is cut. */
export function ForeignText({ value, max = SHOWN_MAX, isCode = false, isWord = false }: ForeignTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = value.length > max && !isWhole;
  return (
    <>
      <bdi className={styles['text']} data-code={isCode || undefined} data-word={isWord || undefined}>
        {visibleText(isCut ? value.slice(0, max) : value)}
        {isCut && '…'}
      </bdi>
      {isCut && (
        <UnstyledButton className={styles['more']} onClick={() => setWhole(true)}>
          Show all {wholeText(value.length)} characters
        </UnstyledButton>
      )}
    </>
  );
}
