import type { Role } from '../../src/platform/config.js';
import { ApiClient } from './api-client.js';
import { eventually } from './eventually.js';
import type { ServiceBuild } from './service-build.js';
import { type Exit, ServiceProcess } from './service-process.js';

const STARTS_WITHIN_MS = 45_000;
const STARTS_MAX = 10;

/** The settings of a member. */
export interface MemberOptions {
  readonly kind: Role;
  readonly name: string;
  readonly build: ServiceBuild;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The log line of a process that listens. */
const UP_LINE = /"url":"(http:[^"]+)".*"msg":"The service is up\."/;

/** One process of a fleet, in one role. It can be stopped and started again, on another port. */
export class FleetMember {
  readonly kind: Role;
  readonly name: string;
  private process: ServiceProcess | null = null;

  constructor(private readonly options: MemberOptions) {
    this.kind = options.kind;
    this.name = options.name;
  }

  /** Its current address; a closed port while it starts. */
  get url(): string {
    return UP_LINE.exec(this.printed)?.[1] ?? 'http://127.0.0.1:1';
  }

  get pid(): number {
    return this.running.pid;
  }

  /** The log since its last start. */
  get printed(): string {
    return this.running.printed;
  }

  /** A merchant's client that calls only this process. */
  client(apiKey: string): ApiClient {
    return new ApiClient(this.url, apiKey);
  }

  /**
   * Starts it and waits until it answers. If it ends before, for example because its database or queue is away, it is
   * started again, as a container runtime does.
   */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { build, dataDir, kind } = this.options;
    for (let starts = 1; ; starts++) {
      const started = ServiceProcess.spawn(build, {
        dataDir,
        env: { ...this.options.env, ...env, ROLES: kind },
      });
      this.process = started;
      let exit: Exit | null = null;
      void started.exited.then((how) => (exit = how));
      await eventually(async () => exit !== null || (await this.isAlive()), STARTS_WITHIN_MS);
      if (exit === null) return;
      if (starts === STARTS_MAX) throw new Error(`${this.name} does not start: ${started.printed}`);
    }
  }

  /** Sends a signal; waits for the end after SIGKILL and SIGTERM. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit> {
    const { running } = this;
    process.kill(running.pid, signal);
    return running.exited;
  }

  /** Pauses it, like a paused machine. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  /** Resumes it. */
  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  private async isAlive(): Promise<boolean> {
    const answer = await fetch(`${this.url}/health/live`).catch(() => null);
    return answer?.status === 200;
  }

  private get running(): ServiceProcess {
    if (this.process === null) throw new Error(`${this.name} was never started.`);
    return this.process;
  }
}
