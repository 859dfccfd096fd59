import { Injectable } from '@nestjs/common';
import { actionText } from '../../domain/audited-action.js';
import { faultText } from '../../domain/delivery-cause.js';
import { notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { paymentDepositOf } from '../../payments/deposits/payment-deposit.js';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { faultOf } from '../../webhooks/deliveries/delivery.presenter.js';
import { findTransfers } from '../intent-transfers.sql.js';
import { shownUrl } from '../shown-url.js';
import { callItemsOf, callsOf } from './call-items.js';
import { chainItemsOf, type TimelineTransfer } from './chain-items.js';
import { inOrder, timelineItem, type TimelineItem } from './timeline-item.js';
import * as statements from './timeline.sql.js';

/** The most of each kind, the newest: anybody can make more by paying in cents. */
const MOST = { calls: 100, transfers: 100, events: 100, attempts: 200, actions: 100, notes: 100 } as const;

type Beginning = RowOf<typeof statements.findBeginning>;

/** Joins everything that is kept about an intent into one list by time. It changes nothing and asks no chain. */
@Injectable()
export class IntentTimeline {
  constructor(private readonly database: Database) {}

  /** Returns what happened to an intent, the oldest first. @throws DomainError not_found */
  async of(environment: Environment, id: string): Promise<TimelineItem[]> {
    const [beginning] = await this.database.rows(statements.findBeginning(environment, id));
    if (beginning === undefined) throw notFound('payment intent');
    const [calls, transfers, hooks] = await Promise.all([
      this.calls(environment, id, beginning),
      this.transfers(id),
      this.hooks(environment, id, beginning.merchantId),
    ]);
    const subjects = [id, ...transfers.map(({ deposit }) => deposit.id), ...hooks.deliveryIds];
    return inOrder([
      ...calls,
      ...addressItems(beginning),
      ...transfers.flatMap(chainItemsOf),
      ...hooks.items,
      ...(await this.actions(id, subjects)),
      ...(await this.notes(id)),
      ...deadline(beginning),
    ]);
  }

  private async calls(environment: Environment, id: string, beginning: Beginning): Promise<TimelineItem[]> {
    const { merchantId, createdAt, requestId } = beginning;
    const paths = ['generate-address', 'confirm'].map((verb) => `/v1/payment-intents/${id}/${verb}`);
    const sandbox = ['pay', 'expire'].map((verb) => `/v1/sandbox/payment-intents/${id}/${verb}`);
    const [created, later, loggedCreation, logged] = await Promise.all([
      requestId === null ? [] : this.database.rows(statements.findCreation(createdAt, requestId)),
      this.database.rows(statements.findCalls(merchantId, environment, [...paths, ...sandbox])),
      requestId === null ? [] : this.database.rows(statements.findLogged(environment, requestId)),
      this.database.rows(statements.findLoggedOn(environment, id, MOST.calls)),
    ]);
    return callItemsOf(beginning, callsOf(id, [...created, ...later], [...loggedCreation, ...logged]));
  }

  private async transfers(id: string): Promise<TimelineTransfer[]> {
    const em = this.database.em();
    const found = await this.database.rows(findTransfers(id, MOST.transfers));
    return found.map((row) => ({
      deposit: paymentDepositOf(em, row),
      network: row.network,
      symbol: row.symbol,
      decimals: row.decimals,
    }));
  }

  private async hooks(
    environment: Environment,
    id: string,
    merchantId: string,
  ): Promise<{ readonly items: TimelineItem[]; readonly deliveryIds: readonly string[] }> {
    const events = await this.database.rows(statements.findEvents(merchantId, environment, id, MOST.events));
    const attempts = await this.database.rows(
      statements.findAttempts(
        events.map((event) => event.id),
        MOST.attempts,
      ),
    );
    return {
      deliveryIds: [...new Set(attempts.map(({ deliveryId }) => deliveryId))],
      items: [
        ...events.map(({ id: eventId, type, createdAt }) =>
          timelineItem({ kind: 'event', at: new Date(createdAt), title: `Event ${type}.`, eventId }),
        ),
        ...attempts.map(attemptItem),
      ],
    };
  }

  private async actions(id: string, subjects: readonly string[]): Promise<TimelineItem[]> {
    const found = await this.database.rows(statements.findActions(subjects, MOST.actions));
    // A note is shown itself, with its text.
    return found
      .filter(({ action }) => !action.startsWith('note.'))
      .map(({ actor, action, subject, reason, createdAt }) =>
        timelineItem({
          kind: 'staff_action',
          at: new Date(createdAt),
          title: subject === id ? `${actionText(action)}.` : `${actionText(action)}: ${subject}.`,
          detail: reason,
          actor,
        }),
      );
  }

  private async notes(id: string): Promise<TimelineItem[]> {
    const found = await this.database.rows(statements.findNotesOn(id, MOST.notes));
    return found.map(({ author, body, createdAt }) =>
      timelineItem({ kind: 'note', at: new Date(createdAt), title: 'Note.', detail: body, actor: author }),
    );
  }
}

function addressItems({ address, assignedAt }: Beginning): TimelineItem[] {
  if (assignedAt === null || address === null) return [];
  return [
    timelineItem({
      kind: 'address_assigned',
      at: new Date(assignedAt),
      title: 'The intent got its address, and its amount was locked.',
      detail: address,
    }),
  ];
}

function attemptItem(attempt: RowOf<typeof statements.findAttempts>): TimelineItem {
  const { number, series, endpointId, responseStatus, errorCode, durationMs } = attempt;
  const url = shownUrl(attempt.url);
  const fault = faultOf(errorCode);
  const outcome = responseStatus === null ? 'got no answer' : `was answered ${responseStatus}`;
  const again = series > 1 ? `, series ${series}` : '';
  return timelineItem({
    kind: 'webhook_attempt',
    at: new Date(attempt.startedAt),
    title: `Attempt ${number}${again} to ${url} ${outcome} after ${durationMs} ms.`,
    detail: fault === null ? null : `${faultText(fault)}.`,
    failed: responseStatus === null || responseStatus < 200 || responseStatus > 299,
    eventId: attempt.eventId,
    deliveryId: attempt.deliveryId,
    attempt: { number, endpointId, url, responseStatus },
  });
}

/** The deadline, unless the intent ended without it. */
function deadline({ status, expiresAt }: Beginning): TimelineItem[] {
  if (status === 'completed' || status === 'cancelled') return [];
  return [timelineItem({ kind: 'deadline', at: new Date(expiresAt), title: 'The time to pay ends.' })];
}
