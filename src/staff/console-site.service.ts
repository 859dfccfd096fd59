import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { type ConsoleCookie, cookieOf, refusalOf } from './console-site.js';

/** Where the console of this process is, by its configuration. */
@Injectable()
export class ConsoleSite {
  /** Whether real money is at stake: then everybody needs a second factor. */
  readonly hasLive: boolean;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'rpc'>,
    @Inject(RUNTIME) private readonly runtime: Pick<Runtime, 'baseUrl'>,
  ) {
    this.hasLive = config.rpc.some(({ environment }) => environment === 'live');
  }

  /** The public address of the service, without a slash at its end. */
  get baseUrl(): string {
    return this.runtime.baseUrl();
  }

  get cookie(): ConsoleCookie {
    return cookieOf(this.baseUrl);
  }

  /** Why nobody can sign in here; null when they can. */
  get refusal(): string | null {
    return refusalOf(this.baseUrl, this.hasLive);
  }
}
