import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { noteUses } from './api-keys.sql.js';

const NOTE_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 1_000;
const NOTED_KEYS_MAX = 10_000;

/**
 * Updates `last_used_at` of API keys: at most once a minute per key, many keys in one statement, and never while a request
 * waits. The value is informative, so a crash may lose the last second of it.
 */
@Injectable()
export class KeyUsage implements OnModuleDestroy {
  private readonly logger = new Logger(KeyUsage.name);
  private readonly notedAt = new Map<string, number>();
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly db: Database) {}

  note(apiKeyId: string): void {
    const now = performance.now();
    if (now - (this.notedAt.get(apiKeyId) ?? -Infinity) < NOTE_INTERVAL_MS) return;
    if (this.notedAt.size >= NOTED_KEYS_MAX) this.notedAt.clear();
    this.notedAt.set(apiKeyId, now);
    this.pending.add(apiKeyId);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }

  /** Writes the noted uses. Never throws: a use that could not be written is noted again at the key's next use. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ids = [...this.pending];
    this.pending.clear();
    if (ids.length === 0) return;
    try {
      await this.db.rows(noteUses(ids));
    } catch (error) {
      for (const id of ids) this.notedAt.delete(id);
      this.logger.warn({ msg: 'The last use of API keys could not be saved.', keys: ids.length, err: error });
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }
}
