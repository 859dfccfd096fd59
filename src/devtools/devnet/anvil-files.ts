import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The files of one development chain. The state file exists only while no anvil runs: anvil writes it only at an orderly
 * end, and the next start moves it away once it is loaded. So a killed anvil leaves none, and its chain starts over with
 * another genesis. An older state under the old genesis would be worse: final blocks with credited payments would be
 * missing from a chain that claims to be the same.
 */
export class AnvilFiles {
  readonly record: string;
  readonly state: string;
  readonly log: string;
  readonly cache: string;
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

  hasState(): boolean {
    return existsSync(this.state);
  }

  /** Moves the state away after it was loaded; it is kept until the next time, for inspection. */
  retireLoadedState(): void {
    if (this.hasState()) renameSync(this.state, this.loadedState);
  }

  /** Moves a state away that anvil could not load, for example after a kill while it was written. */
  retireUnreadableState(): string {
    renameSync(this.state, this.unreadableState);
    return this.unreadableState;
  }
}
