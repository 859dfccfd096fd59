import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { hasForbiddenText } from '../domain/text.js';
import { recordAction } from '../platform/audit-trail.js';
import { type Tx, sql } from '../platform/database/database.js';

const NAME_LENGTH_MAX = 255;
/** As the table checks: a tenth of the amount. */
export const TOLERANCE_BPS_MAX = 1_000;

/** A merchant at its making. */
export interface NewMerchant {
  readonly id: string;
  readonly name: string;
}

/** Makes and verifies merchants. Whoever makes one opens its pockets in the same transaction: this floor knows none. */
@Injectable()
export class MerchantsService {
  /** @throws DomainError `invalid_request` when the name is empty, too long, or no text. */
  async createMerchant(tx: Tx, order: { readonly name: string }): Promise<NewMerchant> {
    const name = order.name.trim();
    if (name === '' || name.length > NAME_LENGTH_MAX || hasForbiddenText(name)) {
      throw invalidParam('name', `name must be a text of 1 to ${NAME_LENGTH_MAX} characters.`);
    }
    const id = newId('mer_');
    await sql(tx, `insert into merchant (id, name) values ($1, $2)`, [id, name]);
    return { id, name };
  }

  /** Staff vouch for the merchant: from now on it may have live keys. Verifying it again changes nothing. */
  async verifyMerchant(tx: Tx, id: string): Promise<void> {
    const rows = await sql(
      tx,
      `update merchant set live_verified_at = coalesce(live_verified_at, now()) where id = $1 returning id`,
      [id],
    );
    if (rows.length === 0) throw notFound('merchant');
  }

  /**
   * Sets how much less than its amount completes an intent of the merchant, in basis points. An intent keeps the
   * tolerance that it was created with, so this changes later intents alone. Audited; returns the tolerance before.
   * @throws DomainError `invalid_request` beyond 0 to 1000, `not_found`
   */
  async setTolerance(tx: Tx, id: string, bps: number, actor: string): Promise<number> {
    if (!Number.isInteger(bps) || bps < 0 || bps > TOLERANCE_BPS_MAX) {
      throw invalidParam('tolerance_bps', `The tolerance must be 0 to ${TOLERANCE_BPS_MAX} basis points.`);
    }
    const [row] = await sql<{ before: number }>(
      tx,
      `update merchant set underpayment_tolerance_bps = $2
         from (select underpayment_tolerance_bps as before from merchant where id = $1 for update) known
        where id = $1 returning known.before`,
      [id, bps],
    );
    if (row === undefined) throw notFound('merchant');
    const details = { before: String(row.before), after: String(bps) };
    await recordAction(tx, { actor, action: 'merchant.tolerance', subject: id, reason: null, details });
    return row.before;
  }
}
