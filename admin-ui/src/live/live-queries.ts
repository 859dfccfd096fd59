import type { QueryClient } from '@tanstack/react-query';
import type { Change } from '../api/change-stream.ts';

/** The least time between two loads for changes of one topic: a busy service is not asked more often than that. */
const GAP_MS = 2_000;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** `environment topic` of what the data depends on. */
      readonly changesWith?: readonly string[];
    };
  }
}

export const changeKey = (environment: string, topic: string): string => `${environment} ${topic}`;

/** Loads what is on the page again once it has changed: at once, and after that at most every two seconds. */
export class LiveQueries {
  private readonly waiting = new Set<string>();
  private timer: number | undefined;
  private openAtMs = 0;

  constructor(private readonly client: QueryClient) {}

  note({ environment, topics }: Change): void {
    for (const topic of topics) this.waiting.add(changeKey(environment, topic));
    this.timer ??= window.setTimeout(() => this.load(), Math.max(0, this.openAtMs - performance.now()));
  }

  /** Loads everything: changes may have passed unnoticed. */
  loadAll(): void {
    void this.client.invalidateQueries({ predicate: ({ meta }) => meta?.changesWith !== undefined });
  }

  close(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }

  private load(): void {
    this.timer = undefined;
    this.openAtMs = performance.now() + GAP_MS;
    const changed = new Set(this.waiting);
    this.waiting.clear();
    const concerned = this.client
      .getQueryCache()
      .findAll({ predicate: ({ meta }) => meta?.changesWith?.some((key) => changed.has(key)) === true });
    // An answer on its way may be from before the change. Not broken off, since a slow one would never arrive.
    const loading = concerned.filter(({ state }) => state.fetchStatus === 'fetching');
    for (const key of loading.flatMap(({ meta }) => meta?.changesWith ?? []))
      if (changed.has(key)) this.waiting.add(key);
    if (this.waiting.size > 0) this.timer = window.setTimeout(() => this.load(), GAP_MS);
    void this.client.invalidateQueries({ predicate: (query) => concerned.includes(query) }, { cancelRefetch: false });
  }
}
