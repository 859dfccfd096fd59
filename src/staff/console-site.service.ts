import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { type ConsoleCookie, cookieOf, refusalOf } from './console-site.js';
import { liveChain } from './live-networks.sql.js';

/** Where the console of this process is, and whether real money is at stake. */
@Injectable()
export class ConsoleSite {
  private isLiveKnown: boolean;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'rpc'>,
    @Inject(RUNTIME) private readonly runtime: Pick<Runtime, 'baseUrl'>,
    private readonly database: Database,
  ) {
    this.isLiveKnown = config.rpc.some(({ environment }) => environment === 'live');
  }

  /**
   * Whether real money is at stake: then everybody needs a second factor. A process that serves pages alone may have no
   * settings of nodes, so the chains that any process has registered count as well. Never false again once it was true.
   */
  async hasLive(): Promise<boolean> {
    this.isLiveKnown ||= (await this.database.rows(liveChain)).length > 0;
    return this.isLiveKnown;
  }

  /** The public address of the service, without a slash at its end. */
  get baseUrl(): string {
    return this.runtime.baseUrl();
  }

  get cookie(): ConsoleCookie {
    return cookieOf(this.baseUrl);
  }

  /** Why signing in is impossible here; null when it is possible. */
  async refusal(): Promise<string | null> {
    return refusalOf(this.baseUrl, await this.hasLive());
  }
}
