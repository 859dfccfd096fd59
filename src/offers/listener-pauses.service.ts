import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import type { Environment, Network } from '../domain/network.js';
import { recordAction, type StaffAction } from '../platform/audit-trail.js';
import { rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { lockCursor, pauseCursor, resumeCursor } from './listener-pauses.sql.js';

/** The author of a pause, and why. */
export type PauseOrder = Omit<StaffAction, 'action' | 'subject' | 'reason'> & { readonly reason: string };

/**
 * Pauses and resumes the listener of a network, for staff. A paused one reads nothing, and no address is assigned on its
 * network. It continues at its cursor, so no payment is missed. Intents of the network do not expire meanwhile: what was paid in
 * time is not known.
 */
@Injectable()
export class ListenerPauses {
  /** Joins the caller's transaction. @throws DomainError invalid_state_transition when it is paused already */
  async pause(tx: Tx, environment: Environment, network: Network, order: PauseOrder): Promise<void> {
    const found = await this.lock(tx, environment, network);
    if (found.pausedAt !== null) {
      throw refusal(`The listener of ${network} was paused by ${found.pausedBy} already.`);
    }
    await rows(tx, pauseCursor(found.chainRef, order.actor, order.reason));
    const states = { before: { paused: false }, after: { paused: true } };
    await recordAction(tx, { ...order, ...states, action: 'listener.pause', subject: found.chainRef });
  }

  /** Joins the caller's transaction. @throws DomainError invalid_state_transition when it is not paused */
  async resume(tx: Tx, environment: Environment, network: Network, order: PauseOrder): Promise<void> {
    const found = await this.lock(tx, environment, network);
    if (found.pausedAt === null) throw refusal(`The listener of ${network} is not paused.`);
    await rows(tx, resumeCursor(found.chainRef));
    const states = { before: { paused: true }, after: { paused: false } };
    await recordAction(tx, { ...order, ...states, action: 'listener.resume', subject: found.chainRef });
  }

  private async lock(tx: Tx, environment: Environment, network: Network): Promise<RowOf<typeof lockCursor>> {
    const [found] = await rows(tx, lockCursor(environment, network));
    if (found === undefined) throw notFound('network');
    return found;
  }
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
