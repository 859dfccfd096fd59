import { AlertIcon, CheckCircleIcon, CircleIcon, ClockIcon, PauseIcon, XCircleIcon } from '@primer/octicons-react';
import styles from './status-badge.module.css';

/** How a status is to be read. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'paused' | 'neutral';

const ICON = {
  good: CheckCircleIcon,
  busy: ClockIcon,
  warning: AlertIcon,
  bad: XCircleIcon,
  paused: PauseIcon,
  neutral: CircleIcon,
} as const satisfies Readonly<Record<Tone, unknown>>;

/** A status: always a word and an icon, never the colour alone. */
export function StatusBadge({ word, tone }: { readonly word: string; readonly tone: Tone }) {
  const Icon = ICON[tone];
  return (
    <span className={styles['badge']} data-tone={tone}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  );
}
