import type { IntentAction } from '../../explain/staff/intent-actions.js';
import type { AcknowledgementFact } from '../../explain/verdict/intent-verdict-facts.js';
import type { TimelineItem } from '../../explain/timeline/timeline-item.js';
import type { StaffIntent } from '../../payments/intents/staff-intents.service.js';
import type {
  IntentActionObject,
  StaffIntentDetailObject,
  StaffIntentObject,
  TimelineObject,
} from './intents.schema.js';

/** An intent in the list of staff. */
export const presentStaffIntent = ({ presented, merchantName }: StaffIntent): StaffIntentObject => ({
  ...presented,
  merchant_name: merchantName,
});

/** What staff can do, with every field that some action has. */
export function presentAction(action: IntentAction): IntentActionObject {
  return {
    kind: action.kind,
    delivery_ids: action.kind === 'resend' ? [...action.deliveryIds] : [],
    endpoint_id: action.kind === 'open_endpoint' || action.kind === 'send_missing' ? action.endpointId : null,
    event_id: action.kind === 'send_missing' ? action.eventId : null,
    deposit_ids: action.kind === 'open_deposit' ? [...action.depositIds] : [],
    commands: action.kind === 'command' ? [...action.commands] : [],
  };
}

/** That staff know how it was paid. */
export const presentAcknowledgement = ({
  author,
  note,
  at,
}: AcknowledgementFact): StaffIntentDetailObject['acknowledgement'] => ({ author, note, created_at: at.toISOString() });

/** What happened to an intent, in the given order. */
export const presentTimeline = (id: string, items: readonly TimelineItem[]): TimelineObject => ({
  object: 'timeline',
  payment_intent_id: id,
  items: items.map((item) => ({
    kind: item.kind,
    at: item.at?.toISOString() ?? null,
    title: item.title,
    detail: item.detail,
    failed: item.failed,
    transaction_hash: item.transactionHash,
    network: item.network,
    event_id: item.eventId,
    delivery_id: item.deliveryId,
    attempt: item.attempt && {
      number: item.attempt.number,
      endpoint_id: item.attempt.endpointId,
      endpoint_url: item.attempt.url,
      response_status: item.attempt.responseStatus,
    },
    request_id: item.requestId,
    actor: item.actor,
  })),
});
