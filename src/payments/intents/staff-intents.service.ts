import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { Database, rows } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import type { TimeCursor } from '../../platform/sql/newest-first.js';
import { IntentReader } from './intent-reader.service.js';
import { PaymentIntent } from './payment-intent.entity.js';
import type { PaymentIntentObject } from './payment-intent.schema.js';
import { findStaffIntent, findStaffPlace, staffIntentPage } from './staff-intent-page.sql.js';
import type { ListStaffIntentsQuery } from './staff-intent.schema.js';

/** An intent as staff see it. */
export interface StaffIntent {
  readonly presented: PaymentIntentObject;
  readonly stored: PaymentIntent;
  readonly merchantName: string;
}

/** Reads the payment intents of all merchants of an environment: for staff. */
@Injectable()
export class StaffIntents {
  constructor(
    private readonly database: Database,
    private readonly reader: IntentReader,
  ) {}

  /** Returns one intent. @throws DomainError not_found */
  async get(environment: Environment, id: string): Promise<StaffIntent> {
    const em = this.database.em();
    const [found] = await rows(em, findStaffIntent(environment, id));
    if (found === undefined) throw notFound('payment intent');
    const stored = entityOf(em, PaymentIntent, found);
    return { presented: await this.reader.present(em, stored), stored, merchantName: found.merchantName };
  }

  /** Returns up to `limit + 1` intents, newest first. @throws DomainError when `starting_after` is no intent */
  async list(
    environment: Environment,
    { limit, starting_after: after, ...filter }: ListStaffIntentsQuery,
  ): Promise<readonly StaffIntent[]> {
    const em = this.database.em();
    const cursor = after === undefined ? null : await this.cursor(environment, after);
    const found = await rows(em, staffIntentPage(environment, filter, { cursor, rows: limit + 1 }));
    const stored = found.map((one) => entityOf(em, PaymentIntent, one));
    const presented = await this.reader.presentAll(em, stored);
    return found.flatMap(({ merchantName }, place) => {
      const [one, object] = [stored[place], presented[place]];
      return one === undefined || object === undefined ? [] : [{ stored: one, presented: object, merchantName }];
    });
  }

  private async cursor(environment: Environment, id: string): Promise<TimeCursor> {
    const [place] = await this.database.rows(findStaffPlace(environment, id));
    if (place === undefined) throw invalidParam('starting_after', 'starting_after is no payment intent.');
    return place;
  }
}
