import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { type ConsoleActor, recordAction } from '../../platform/audit-trail.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { Acknowledgement, type AcknowledgedKind } from './acknowledgement.entity.js';
import { findAcknowledged, insertAcknowledgement } from './acknowledgements.sql.js';

/** What a member of staff acknowledges. */
export interface NewAcknowledgement {
  readonly environment: Environment;
  readonly kind: AcknowledgedKind;
  readonly id: string;
  readonly author: ConsoleActor;
  readonly note: string;
}

/** Records that staff know of payments with too little or too much, and of late ones. */
@Injectable()
export class Acknowledgements {
  /**
   * Acknowledges a payment, once.
   * @throws DomainError not_found; invalid_state_transition when there is nothing to acknowledge, or it was acknowledged
   */
  async acknowledge(tx: Tx, { environment, kind, id, author, note }: NewAcknowledgement): Promise<void> {
    const [subject] = await rows(tx, findAcknowledged(environment, kind, id));
    if (subject === undefined) throw notFound(kind === 'deposit' ? 'deposit' : 'payment intent');
    if (!subject.isUnusual) throw refusal('It was paid as asked: there is nothing to acknowledge.');
    const row = { subjectId: id, subjectKind: kind, environment, author: author.actor, note };
    const written = await rows(tx, insertAcknowledgement(row));
    if (written.length === 0) throw await acknowledgedBefore(tx, id);
    await recordAction(tx, { ...author, action: 'payment.acknowledge', subject: id, reason: note });
  }
}

async function acknowledgedBefore(tx: Tx, subjectId: string): Promise<DomainError> {
  const { author, createdAt, note } = await tx.findOneOrFail(
    Acknowledgement,
    { subjectId },
    { disableIdentityMap: true },
  );
  return refusal(`It was acknowledged already, by ${author} at ${createdAt.toISOString()}, "${note}".`);
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
