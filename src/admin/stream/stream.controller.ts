import { Controller, type MessageEvent, Sse } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { StaffOnly } from '../../auth/scopes.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import type { LiveMessage } from '../../live/live-topic.js';
import { LiveStreams } from '../../live/live-streams.service.js';
import { CurrentSession, Passive, type SignedIn } from '../../staff/staff-access.js';

/** After so long a browser connects again, when a stream ends other than by `end`. */
const RETRY_MS = 3_000;

/** What changes while a browser shows it. */
@Controller('admin/api/stream')
@StaffOnly()
export class StreamController {
  constructor(private readonly streams: LiveStreams) {}

  @Sse()
  @Passive()
  @ApiOperationDocs({
    operationId: 'streamChanges',
    summary: 'Follow changes',
    description: [
      'Server-sent events (`text/event-stream`) for all tabs of a browser, of the environments where the member has a role.',
      '`ready`: every later change is reported. `changed`: `{ environment, topics }`, each topic once a second at most; the',
      'lists and objects of that topic have changed. `end`: `{ reason }`, after which the stream closes: `session_ended`,',
      '`replaced` by newer streams of the session, `restarting`. Following does not keep a session from becoming idle.',
    ].join(' '),
    tag: 'Session',
    success: { description: 'The stream.' },
  })
  follow(@CurrentSession() { session }: SignedIn): Observable<MessageEvent> {
    return this.streams.open(session.id).pipe(map(presentMessage));
  }
}

function presentMessage(message: LiveMessage): MessageEvent {
  if (message.type === 'heartbeat') return { comment: 'heartbeat' };
  const { type, ...data } = message;
  return type === 'ready' ? { type, data, retry: RETRY_MS } : { type, data };
}
