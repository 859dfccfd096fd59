import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Observable, type Subscriber } from 'rxjs';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { isAtLeast, PERMISSIONS, type StaffRole } from '../staff/permissions.js';
import { changedTopics, type Marks, marksOf } from './changed-topics.js';
import { liveState } from './live-state.sql.js';
import { type EndReason, LIVE_TOPICS, type LiveMessage, type LiveTopic } from './live-topic.js';

/** The least time between two readings, and so between two reports of one topic. */
const INTERVAL_MS = 1_000;
/** Streams of one session. A browser has one; more are left over from connections that broke. */
const STREAMS_MAX = 3;
/** Proxies close connections that are silent for longer, often after 30 or 60 s. */
const HEARTBEAT_MS = 15_000;

interface Stream {
  readonly sessionId: string;
  readonly subscriber: Subscriber<LiveMessage>;
  isReady: boolean;
}

type Roles = Readonly<Record<Environment, StaffRole>>;

/**
 * Reports to the console which topics have changed. While somebody listens, one statement a second reads the marks of all
 * topics and which sessions are open, however many streams there are. Without a stream nothing is read.
 */
@Injectable()
export class LiveStreams implements BeforeApplicationShutdown {
  /** In the order in which they were opened. */
  private readonly streams = new Set<Stream>();
  private readonly stopping = new AbortController();
  private watching: Promise<void> | null = null;
  /** As of the last reading; null until there is one. */
  private marks: Marks | null = null;

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** A stream of a session. It ends with an `end`, within some seconds after the session has ended. */
  open(sessionId: string): Observable<LiveMessage> {
    return new Observable((subscriber) => {
      const stream: Stream = { sessionId, subscriber, isReady: false };
      if (this.stopping.signal.aborted) {
        this.end(stream, 'restarting');
        return;
      }
      const heartbeat = setInterval(() => subscriber.next({ type: 'heartbeat' }), HEARTBEAT_MS);
      subscriber.add(() => {
        clearInterval(heartbeat);
        this.streams.delete(stream);
      });
      this.streams.add(stream);
      this.makeRoom(sessionId);
      if (this.marks !== null) this.welcome(stream);
      this.watching ??= this.watch();
    });
  }

  /** Ends all streams before the server closes, which would wait for them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    for (const stream of this.streams) this.end(stream, 'restarting');
    await this.watching;
  }

  /** The oldest stream goes: it is more likely to be a dead connection than the newest one. */
  private makeRoom(sessionId: string): void {
    const own = [...this.streams].filter((stream) => stream.sessionId === sessionId);
    for (const stream of own.slice(0, -STREAMS_MAX)) this.end(stream, 'replaced');
  }

  private end({ subscriber }: Stream, reason: EndReason): void {
    subscriber.next({ type: 'end', reason });
    subscriber.complete();
  }

  private welcome(stream: Stream): void {
    if (!stream.isReady) stream.subscriber.next({ type: 'ready' });
    stream.isReady = true;
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (this.streams.size > 0) {
      try {
        await this.read();
      } catch (error) {
        this.logger.error({ err: error }, 'The changes for the console could not be read.');
      }
      // After the reading and not from its start: two reports of one topic are never closer to each other.
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
    // Before anything else can run: the next stream starts another watch.
    this.marks = null;
    this.watching = null;
  }

  private async read(): Promise<void> {
    const streams = [...this.streams];
    const sessionIds = [...new Set(streams.map(({ sessionId }) => sessionId))];
    const [state] = await this.database.rows(liveState(sessionIds));
    if (state === undefined) return;
    const [before, marks] = [this.marks, marksOf(state.marks)];
    this.marks = marks;
    const changed = before === null ? new Map<Environment, LiveTopic[]>() : changedTopics(before, marks);
    const open = new Map(
      state.sessions.map(({ id, sandboxRole, liveRole }) => [id, { sandbox: sandboxRole, live: liveRole }]),
    );
    for (const stream of streams) {
      const roles = open.get(stream.sessionId);
      if (roles === undefined) this.end(stream, 'session_ended');
      else this.report(stream, changed, roles);
    }
    // Also those that were opened during the reading: what changes after it is in the next one.
    for (const stream of this.streams) this.welcome(stream);
  }

  private report({ subscriber }: Stream, changed: ReturnType<typeof changedTopics>, roles: Roles): void {
    for (const [environment, topics] of changed) {
      const readable = topics.filter((topic) => mayRead(roles[environment], topic));
      if (readable.length > 0) subscriber.next({ type: 'changed', environment, topics: readable });
    }
  }
}

const mayRead = (role: StaffRole, topic: LiveTopic): boolean => isAtLeast(role, PERMISSIONS[LIVE_TOPICS[topic]].role);
