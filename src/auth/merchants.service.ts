import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { hasForbiddenText } from '../domain/text.js';
import { type Tx, sql } from '../platform/database/database.js';

const NAME_LENGTH_MAX = 255;

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
}
