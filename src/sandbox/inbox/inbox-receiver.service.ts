import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { InboxRequest } from './inbox-request.entity.js';
import { openInbox } from './inbox-merchants.sql.js';
import { pruneRequests } from './inbox-requests.sql.js';
import type { InboxAnswer } from './webhook-inbox.entity.js';

/** A request as it came. */
export interface ReceivedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Keeps what inboxes receive. */
@Injectable()
export class InboxReceiver {
  /** Finds an inbox by its key. @throws DomainError `not_found`, also once its endpoint is deleted */
  async find(em: EntityManager, key: string): Promise<RowOf<typeof openInbox>> {
    const [inbox] = await rows(em, openInbox(key));
    if (inbox === undefined) throw notFound('inbox');
    return inbox;
  }

  /**
   * Keeps a request, and the newest 200 of its inbox. Returns what to answer.
   * @throws DomainError `not_found`
   */
  async receive(tx: Tx, key: string, { headers, body }: ReceivedRequest): Promise<InboxAnswer> {
    const { id: inboxId, answer } = await this.find(tx, key);
    await tx.insert(InboxRequest, { id: newId('inr_'), inboxId, headers, body, answer });
    await rows(tx, pruneRequests(inboxId));
    return answer;
  }
}
