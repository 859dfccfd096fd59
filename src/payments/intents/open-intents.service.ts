import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { row } from '../../platform/database/database.js';
import { countOpenIntents } from './open-intents.sql.js';

/** Far from the limit, intents are counted again only this often: counting costs as much as there is to count. */
const COUNT_TTL_MS = 5_000;
/** More than a merchant can open between two counts. */
const MARGIN = 10_000;
const RETRY_AFTER_SECONDS = 30;

/** Keeps one merchant from draining the address pool: open intents with an address are limited. */
@Injectable()
export class OpenIntents {
  private readonly counts = new Map<string, { readonly takenAt: number; readonly open: number }>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws DomainError `rate_limited` when the tenant has as many as it may. */
  async assertRoom(em: EntityManager, tenant: Tenant): Promise<void> {
    const { openMax } = this.config.intents;
    if ((await this.open(em, tenant, openMax)) < openMax) return;
    throw new DomainError('rate_limited', `At most ${openMax} payment intents may be open with an address.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  private async open(em: EntityManager, tenant: Tenant, max: number): Promise<number> {
    const key = `${tenant.merchantId}/${tenant.environment}`;
    const known = this.counts.get(key);
    const now = performance.now();
    if (known !== undefined && now - known.takenAt < COUNT_TTL_MS && known.open + MARGIN < max) return known.open;
    // Requests that come while this one counts use the previous count.
    if (known !== undefined) this.counts.set(key, { ...known, takenAt: now });
    const open = Number((await row(em, countOpenIntents(tenant, max))).open);
    this.counts.set(key, { takenAt: now, open });
    return open;
  }
}
