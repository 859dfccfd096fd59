import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
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
  /**
   * Keeps a request, and the newest 200 of its inbox. Returns what to answer.
   * @throws DomainError `not_found`, also once its endpoint is deleted
   */
  async receive(tx: Tx, key: string, { headers, body }: ReceivedRequest): Promise<InboxAnswer> {
    const [inbox] = await rows(tx, openInbox(key));
    if (inbox === undefined) throw notFound('inbox');
    const { id: inboxId, answer } = inbox;
    await tx.insert(InboxRequest, { id: newId('inr_'), inboxId, headers, body, answer });
    await rows(tx, pruneRequests(inboxId));
    return answer;
  }
}
