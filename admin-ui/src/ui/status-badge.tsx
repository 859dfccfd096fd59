import {
  IconAlertTriangle,
  IconCircle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconPlayerPause,
} from '@tabler/icons-react';
import styles from './status-badge.module.css';

/** How a status is to be read. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'paused' | 'neutral';

const ICON = {
  good: IconCircleCheck,
  busy: IconClock,
  warning: IconAlertTriangle,
  bad: IconCircleX,
  paused: IconPlayerPause,
  neutral: IconCircle,
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
