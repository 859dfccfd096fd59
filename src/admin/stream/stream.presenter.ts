import type { MessageEvent } from '@nestjs/common';
import type { LiveMessage } from '../../live/live-topic.js';

/** After so long a browser connects again, when a stream ends other than by `end`. */
const RETRY_MS = 3_000;

/** A message as a server-sent event; a heartbeat is a comment, which a browser ignores. */
export function presentMessage(message: LiveMessage): MessageEvent {
  if (message.type === 'heartbeat') return { comment: 'heartbeat' };
  const { type, ...data } = message;
  return type === 'ready' ? { type, data, retry: RETRY_MS } : { type, data };
}
