import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { hasForbiddenText } from '../domain/text.js';
import { type Author, by, recordAction } from '../platform/audit-trail.js';
import { rows, type Tx } from '../platform/database/database.js';
import { Merchant } from './merchant.entity.js';
import { markVerified, replaceTolerance } from './merchants.sql.js';

const NAME_LENGTH_MAX = 255;
/** A tenth of the amount, as the table checks. */
export const TOLERANCE_BPS_MAX = 1_000;

/** A new merchant. */
export interface NewMerchant {
  readonly id: string;
  readonly name: string;
}

/** Creates and verifies merchants. The caller opens the pockets of a new one in the same transaction. */
@Injectable()
export class MerchantsService {
  /** @throws DomainError `invalid_request` when the name is empty, too long, or not valid text. */
  async createMerchant(tx: Tx, order: { readonly name: string }): Promise<NewMerchant> {
    const name = order.name.trim();
    if (name === '' || name.length > NAME_LENGTH_MAX || hasForbiddenText(name)) {
      throw invalidParam('name', `name must be a text of 1 to ${NAME_LENGTH_MAX} characters.`);
    }
    const id = newId('mer_');
    tx.create(Merchant, { id, name, liveVerifiedAt: null });
    await tx.flush();
    return { id, name };
  }

  /** Marks the merchant as verified: it may have live keys now. Verifying it again has no effect. */
  async verifyMerchant(tx: Tx, id: string): Promise<void> {
    const verified = await rows(tx, markVerified(id));
    if (verified.length === 0) throw notFound('merchant');
  }

  /**
   * Sets the underpayment tolerance of the merchant's intents, in basis points. An intent keeps the tolerance that it was
   * created with, so this affects only later intents. Audited; returns the previous tolerance.
   * @throws DomainError `invalid_request` beyond 0 to 1000, `not_found`
   */
  async setTolerance(tx: Tx, id: string, bps: number, author: Author, reason: string | null = null): Promise<number> {
    if (!Number.isInteger(bps) || bps < 0 || bps > TOLERANCE_BPS_MAX) {
      throw invalidParam('tolerance_bps', `The tolerance must be 0 to ${TOLERANCE_BPS_MAX} basis points.`);
    }
    const [known] = await rows(tx, replaceTolerance(id, bps));
    if (known === undefined) throw notFound('merchant');
    const change = { before: { tolerance_bps: known.before }, after: { tolerance_bps: bps } };
    await recordAction(tx, { ...by(author), action: 'merchant.tolerance', subject: id, reason, ...change });
    return known.before;
  }
}
