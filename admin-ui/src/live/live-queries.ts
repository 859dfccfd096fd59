import type { Query, QueryClient } from '@tanstack/react-query';
import type { Change } from '../api/change-stream.ts';

/** The time after a load in which changes wait. While they keep coming, a page asks as seldom as one that polls. */
const PAUSE_MS = 2_000;
const PAUSE_WHEN_BUSY_MS = 5_000;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** `environment topic` of what the data depends on. */
      readonly changesWith?: readonly string[];
    };
  }
}

export const changeKey = (environment: string, topic: string): string => `${environment} ${topic}`;

const keysOf = ({ meta }: Query): readonly string[] => meta?.changesWith ?? [];

/** Loads what is on the page again once it has changed: at once, and after that with pauses. */
export class LiveQueries {
  private readonly waiting = new Set<string>();
  private timer: number | undefined;
  private pausedUntilMs = 0;

  constructor(private readonly client: QueryClient) {}

  note({ environment, topics }: Change): void {
    this.load(topics.map((topic) => changeKey(environment, topic)));
  }

  /** Changes may have passed unnoticed: everything is loaded again. */
  noteAll(): void {
    this.load(this.client.getQueryCache().getAll().flatMap(keysOf));
  }

  close(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }

  private load(keys: readonly string[]): void {
    for (const key of keys) this.waiting.add(key);
    if (this.timer !== undefined || this.waiting.size === 0) return;
    const pauseMs = Math.max(0, this.pausedUntilMs - performance.now());
    this.timer = window.setTimeout(() => this.loadNow(pauseMs > 0), pauseMs);
  }

  private loadNow(isBusy: boolean): void {
    this.timer = undefined;
    this.pausedUntilMs = performance.now() + (isBusy ? PAUSE_WHEN_BUSY_MS : PAUSE_MS);
    const changed = new Set(this.waiting);
    this.waiting.clear();
    const isConcerned = (query: Query): boolean => keysOf(query).some((key) => changed.has(key));
    const concerned = this.client.getQueryCache().findAll({ predicate: isConcerned });
    // An answer on its way may be from before the change. It is not broken off: a slow one would never arrive.
    const loading = concerned.filter(({ state }) => state.fetchStatus === 'fetching');
    void this.client.invalidateQueries({ predicate: isConcerned }, { cancelRefetch: false });
    this.load(loading.flatMap(keysOf).filter((key) => changed.has(key)));
  }
}
