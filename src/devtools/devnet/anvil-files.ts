import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const RECORD = z.object({
  pid: z.number().int().positive(),
  port: z.number().int().positive(),
  chainId: z.number().int().positive(),
  startedAt: z.iso.datetime(),
});

/** What is known of the last anvil of a network: enough to find it again. */
export type AnvilRecord = z.infer<typeof RECORD>;

/**
 * The files of one development chain. The state file exists only while no anvil runs: anvil writes it when it ends in
 * order, at no other time, and the next start takes it away as soon as it is loaded. So a killed anvil leaves none, and
 * its chain begins anew with another genesis. An older state under the old genesis would be worse: blocks that were
 * final, and payments credited in them, would be gone from a chain that claims to be the same.
 */
export class AnvilFiles {
  readonly state: string;
  readonly log: string;
  readonly cache: string;
  private readonly record: string;
  private readonly loadedState: string;
  private readonly unreadableState: string;

  constructor(dir: string, network: string) {
    this.record = join(dir, `${network}.json`);
    this.log = join(dir, `${network}.log`);
    this.cache = join(dir, `${network}.cache`);
    this.state = join(dir, `${network}.state.json`);
    this.loadedState = join(dir, `${network}.state.loaded.json`);
    this.unreadableState = join(dir, `${network}.state.unreadable.json`);
  }

  /** The record of the last start, or null when there is none that makes sense. */
  readRecord(): AnvilRecord | null {
    try {
      return RECORD.parse(JSON.parse(readFileSync(this.record, 'utf8')));
    } catch {
      return null;
    }
  }

  /** Synchronous, because a kill between the start of an anvil and its record would leave an anvil nobody knows. */
  writeRecord(record: AnvilRecord): void {
    writeFileSync(this.record, `${JSON.stringify(record)}\n`);
  }

  hasState(): boolean {
    return existsSync(this.state);
  }

  /** Takes the state away after it was loaded; kept until the next time, for people who want to look. */
  retireLoadedState(): void {
    if (this.hasState()) renameSync(this.state, this.loadedState);
  }

  /** Takes away a state that anvil could not load, as after a kill in the middle of its writing. */
  retireUnreadableState(): string {
    renameSync(this.state, this.unreadableState);
    return this.unreadableState;
  }

  readLog(): string {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
  }

  forgetLog(): void {
    rmSync(this.log, { force: true });
  }
}
