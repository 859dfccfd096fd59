import { Controller, type MessageEvent, Sse } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { StaffOnly } from '../../auth/scopes.js';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { LiveStreams } from '../../live/live-streams.service.js';
import { CurrentSession, Passive, type SignedIn } from '../../staff/staff-access.js';
import { presentMessage } from './stream.presenter.js';

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
