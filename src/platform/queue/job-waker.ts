import type { JobName, Jobs } from './jobs.js';

/** Wakes the workers after a commit. A process with a queue binds it to `JobQueue`, one without to `NoQueue`. */
export abstract class JobWaker {
  /** Wakes one job. Never throws and never blocks: a recurring job finds the work of a lost wake. */
  abstract wake<N extends JobName>(name: N, data: Jobs[N]): void;
  /** Wakes many jobs of one name together. */
  abstract wakeMany<N extends JobName>(name: N, all: readonly Jobs[N][]): void;
}

/** Wakes nothing: the workers' recurring jobs find what this process committed within seconds. */
export class NoQueue extends JobWaker {
  override wake(): void {}
  override wakeMany(): void {}
}
